import { Document, isCollection, isMap, isPair, isScalar, isSeq, visit } from 'yaml';
import type { CatalogFile } from './file-schema.ts';

/** Collections up to this size are written on one line. */
const SHORT = 3;

/** A catalog file in YAML 1.2, formatted as people write it. `head` becomes comments at the top. */
export function writeYaml(file: CatalogFile, head: readonly string[] = []): string {
  const document = new Document(file, { aliasDuplicateObjects: false });
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || !isCollection(pair.value)) return;
      const name = pair.key.value;
      if (name === 'constraint' || name === 'default') pair.value.flow = true;
      if (name === 'translations' && isMap(pair.value)) pair.value.flow = pair.value.items.length <= SHORT;
      if ((name === 'languages' || name === 'values') && isSeq(pair.value)) {
        pair.value.flow = pair.value.items.every((item) => isScalar(item));
        for (const item of pair.value.items) if (isMap(item)) item.flow = isShort(item.items);
      }
    },
  });
  document.commentBefore = head.length > 0 ? head.map((line) => ` ${line}`).join('\n') : null;
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

function isShort(items: readonly unknown[]): boolean {
  return items.every((item) => !isPair(item) || !isMap(item.value) || item.value.items.length <= SHORT);
}

export function writeJson(file: CatalogFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}
