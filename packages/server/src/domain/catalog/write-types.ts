import { mapSteps, type Steps } from '../slices.ts';
import type { AllowedValue, Catalog, Group, Key, Language, Scalar, Texts } from './catalog.ts';
import { writeSchemas } from './write-schemas.ts';
import { DIRECTION_MARKS, literal, property } from './written-names.ts';

/**
 * A TypeScript module of what can be chosen: `Catalog`, the single type parameter of the client and the React package
 * (packages/client/README.md), `values` and, if requested, `schemas`. The same catalog always gives the same bytes;
 * archived parts are omitted.
 */
export function* writeTypes(catalog: Catalog, withSchemas = false): Steps<string> {
  const { languages } = catalog;
  const groups = catalog.groups.flatMap((group) =>
    group.archived ? [] : [{ ...group, keys: group.keys.filter((key) => !key.archived) }],
  );
  const written: string[] = [];
  for (const group of groups) written.push(yield* writeGroup(group, languages));
  const values = yield* writeValues(groups, languages);
  const schemas = withSchemas ? yield* writeSchemas(groups) : '';
  const words = [...new Set(languages.flatMap(({ name, tag }) => [name, tag]))];
  return `// Written by \`innkeeper catalog types\`: run it again when the catalog changes.

export interface Catalog {
  /** Names and tags that \`language\` accepts. */
  languages: ${union(words)};
  groups: {
${written.join('')}  };
}

/** Every allowed value by its key. */
export const values = {
${values}} as const;
${schemas}`;
}

function* writeGroup({ name, texts, keys }: Group, languages: Language[]): Steps<string> {
  const lines = yield* mapSteps(
    keys,
    (key) => `${comment(6, textOf(key.texts, languages))}      ${property(key.name)}: ${writeKey(key)};\n`,
  );
  return `${comment(4, textOf(texts, languages))}    ${property(name)}: {\n${lines.join('')}    };\n`;
}

function writeKey({ type, multiple, values }: Key): string {
  const chosen = (retired: boolean): string => {
    const list = values?.filter((each) => each.retired === retired).map(({ value }) => value) ?? [];
    return type === 'boolean' && list.length === 2 ? 'boolean' : union(list);
  };
  const value = values === null ? OPEN[type] : chosen(false);
  return `{ type: '${type}'; multiple: ${multiple}; value: ${value}; retired: ${chosen(true)} }`;
}

const OPEN = { boolean: 'boolean', string: 'string', integer: 'number', number: 'number', date: 'string' };

function* writeValues(groups: Group[], languages: Language[]): Steps<string> {
  const written = new Set<string>();
  let text = '';
  for (const group of groups) {
    for (const key of group.keys) {
      yield;
      const name = `${group.name}.${key.name}`;
      // Names with dots can collide: the first one wins.
      const isNew = !written.has(name);
      written.add(name);
      if (!isNew || key.values === null || key.type === 'boolean') continue;
      const lines = key.values.map((each) => writeValue(each, languages));
      text += `  ${property(name)}: {\n${lines.join('')}  },\n`;
    }
  }
  return text;
}

function writeValue({ value, texts, retired, replacement }: AllowedValue, languages: Language[]): string {
  const instead = replacement === undefined ? '' : `; choose ${JSON.stringify(replacement)} instead`;
  const said = retired ? comment(4, `retired${instead}`, '@deprecated ') : comment(4, textOf(texts, languages));
  return `${said}    ${property(String(value))}: ${literal(value)},\n`;
}

function textOf(texts: Texts, languages: Language[]): string | undefined {
  return texts[languages.find(({ isDefault }) => isDefault)?.tag ?? ''];
}

function comment(indent: number, text: string | undefined, mark = ''): string {
  const safe = text
    ?.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(DIRECTION_MARKS, '')
    .replaceAll('*/', '*\\/')
    .trim()
    // A leading @ would be a tag for the compiler, such as @deprecated.
    .replace(/^@/, '\\@');
  return safe ? `${' '.repeat(indent)}/** ${mark}${safe} */\n` : '';
}

function union(values: readonly Scalar[]): string {
  return values.length === 0 ? 'never' : values.map(literal).join(' | ');
}
