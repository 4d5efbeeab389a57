import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

test('only saving a retired value is struck out in editors', () => {
  const path = join(import.meta.dirname, 'catalog-types.ts');
  const flags = { strict: true, noEmit: true, allowImportingTsExtensions: true, skipLibCheck: true };
  const program = ts.createProgram([path], {
    ...flags,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.esnext.d.ts', 'lib.dom.d.ts'],
    types: [],
  });
  const checker = program.getTypeChecker();
  const struckOut: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node)) {
      const tags = checker.getResolvedSignature(node)?.getJsDocTags() ?? [];
      if (tags.some(({ name }) => name === 'deprecated')) struckOut.push(node.getText());
    }
    ts.forEachChild(node, visit);
  };
  const source = program.getSourceFile(path);
  if (!source) throw new Error('not there');
  const valid = source.text.slice(0, source.text.indexOf('@ts-expect-error'));
  visit(source);
  expect(struckOut.filter((call) => valid.includes(call))).toEqual([
    "options.save('kitchen.fruit', ['apple', 'quince'])",
    "options.saveAll({ 'kitchen.fruit': ['quince'] })",
  ]);
});
