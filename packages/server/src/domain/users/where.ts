import type { Scalar } from '../catalog/catalog.ts';
import { typeProblem } from '../catalog/check-value.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';
import { findNamedKey } from './key-names.ts';

/** A condition on a selection. `differs` is the negation of `equals`, and `unsaved` that of `saved`. */
export type Condition = { placed: PlacedKey } & (
  | { test: 'saved' }
  | { test: 'unsaved' }
  | { test: 'equals'; value: Scalar }
  | { test: 'differs'; value: Scalar }
);

export const MAX_CONDITIONS = 20;

/** Why a condition is invalid: the text after `where` in the sentence, without its full stop. */
export class WhereProblem extends Error {
  override name = 'WhereProblem';
}

/**
 * `group.key=value`, `group.key!=value`, `group.key` or `!group.key`; a key may also be given by UID. Throws
 * WhereProblem.
 */
export function readWhere(texts: readonly string[], catalog: CompiledCatalog): Condition[] {
  if (texts.length > MAX_CONDITIONS) throw new WhereProblem(`can be given at most ${MAX_CONDITIONS} times`);
  return texts.map((text) => readCondition(text, catalog));
}

function readCondition(text: string, catalog: CompiledCatalog): Condition {
  const at = text.indexOf('=');
  if (at < 0) {
    const isNegated = text.startsWith('!');
    const placed = findKey(isNegated ? text.slice(1) : text, text, catalog);
    return { placed, test: isNegated ? 'unsaved' : 'saved' };
  }
  const differs = text[at - 1] === '!';
  const placed = findKey(text.slice(0, differs ? at - 1 : at), text, catalog);
  const { type } = placed.key;
  const value = readValue(type, text.slice(at + 1));
  const problem = typeProblem(type, value);
  if (problem !== undefined) throw new WhereProblem(`${quoted(text)}: the value ${problem}`);
  return { placed, test: differs ? 'differs' : 'equals', value: value as Scalar };
}

function findKey(name: string, text: string, catalog: CompiledCatalog): PlacedKey {
  const found = findNamedKey(catalog, name);
  if (found === 'ambiguous') {
    throw new WhereProblem(`${quoted(text)}: ${quoted(name)} names several keys. Use the option_key_uid`);
  }
  if (found) return found;
  throw new WhereProblem(
    `${quoted(text)}: there is no option key ${quoted(name)}. Write group.key=value, group.key!=value, group.key or !group.key`,
  );
}

const NUMBER = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/;

/** By the type of the key; undefined if it cannot be read. The caller checks the type afterwards. */
function readValue(type: PlacedKey['key']['type'], text: string): Scalar | undefined {
  switch (type) {
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'integer':
    case 'number':
      // -0 is 0.
      return NUMBER.test(text) ? Number(text) + 0 : undefined;
    default:
      return text;
  }
}

function quoted(text: string): string {
  return `"${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`;
}
