import type { UserStore, UserWalk, WalkedSelection, WalkedUser } from '../../storage/port.ts';
import type { Scalar } from '../catalog/catalog.ts';
import { type Matches, parseValue, typeProblem } from '../catalog/check-value.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';
import { matchWithin } from '../selections/check-selection.ts';
import { isAllowed } from '../selections/effective.ts';
import { ownTurn } from '../slices.ts';
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

type Value = Scalar | Scalar[] | undefined;
type Selected = WalkedUser['selected'];
type Rules = { catalog: CompiledCatalog; effective: boolean };

/** Pattern matching for all conditions: a millisecond or two. There may be thousands of users. */
const MAX_STEPS_OF_USER = 50_000;

/** Tells whether all conditions hold for a user's selections. */
export function createMatcher(
  conditions: readonly Condition[],
  { catalog, effective }: Rules,
): (selected: Selected) => boolean {
  const tests = conditions.map((condition) => {
    const { keyNo, constraint } = condition.placed.key;
    const test: TestSelection = effective
      ? (selection, matches) => holds(condition, effectiveValue(catalog, condition.placed, selection, matches))
      : (selection) => holds(condition, savedValue(selection));
    // Of a user's texts, so many are matched against patterns as there are steps.
    return { keyNo, test: constraint.pattern === undefined ? cached(test) : test };
  });
  return (selected) => {
    const matches = matchWithin(MAX_STEPS_OF_USER, true);
    return tests.every(({ keyNo, test }) => test(selected[keyNo], matches));
  };
}

type TestSelection = (selection: WalkedSelection | undefined, matches: Matches) => boolean;

/** Values whose result is cached: most keys have fewer. */
const MAX_REMEMBERED = 1_000;

function cached(test: TestSelection): TestSelection {
  const known = new Map<string, boolean>();
  return (selection, matches) => {
    const name = selection === undefined ? '' : `${selection[0]} ${selection[1]}`;
    const before = known.get(name);
    if (before !== undefined) return before;
    const result = test(selection, matches);
    if (name.length < SHORT && known.size < MAX_REMEMBERED) known.set(name, result);
    return result;
  };
}

function savedValue(selection: WalkedSelection | undefined): Value {
  return selection && parseValue(selection[1]);
}

/** What an application should act on now. */
export function effectiveValue(
  catalog: CompiledCatalog,
  placed: PlacedKey,
  selection: WalkedSelection | undefined,
  matches?: Matches,
): Value {
  if (placed.key.archived) return undefined;
  if (selection && isAllowed(catalog, placed, { revision: selection[0], value: selection[1] }, matches)) {
    return savedValue(selection);
  }
  return placed.key.defaultValue ?? undefined;
}

function holds(condition: Condition, value: Value): boolean {
  switch (condition.test) {
    case 'saved':
      return value !== undefined;
    case 'unsaved':
      return value === undefined;
    case 'equals':
      return includes(condition, value);
    case 'differs':
      return !includes(condition, value);
  }
}

function includes({ placed, value: wanted }: Condition & { value: Scalar }, value: Value): boolean {
  if (!placed.key.multiple) return value === wanted;
  return Array.isArray(value) && value.includes(wanted);
}

export type WalkOf = { walk: UserWalk; isExact: boolean };

/** Distinct lists of a key, which are searched one by one for a value: together, of all conditions. */
const MAX_LISTS = 1_000;
/** Longer values are distinguished only by their beginning (port.ts). */
const SHORT = 200;

/**
 * A walk that covers all users a condition holds for, and with `isExact` no others; undefined: only a walk through all
 * users does.
 */
export async function walkOf(
  users: Pick<UserStore, 'listValues'>,
  appId: number,
  condition: Condition,
  { catalog, effective, conditions }: Rules & { conditions: readonly Condition[] },
): Promise<WalkOf | undefined> {
  const { keyNo, multiple } = condition.placed.key;
  // No index finds users without a selection.
  if (condition.test === 'unsaved' || condition.test === 'differs') return undefined;
  if (effective && holds(condition, effectiveValue(catalog, condition.placed, undefined))) return undefined;
  const byKey = (isExact: boolean): WalkOf => ({ walk: { by: 'key', keyNo }, isExact });
  if (condition.test === 'saved') return byKey(!effective);
  if (!multiple) {
    const value = JSON.stringify(condition.value);
    return { walk: { by: 'value', keyNo, value }, isExact: !effective && value.length < SHORT };
  }
  // On the HTTP thread with SQLite: milliseconds.
  await ownTurn();
  const lists = await users.listValues(appId, keyNo, Math.floor(MAX_LISTS / conditions.length));
  if (!lists) return byKey(false);
  const values = lists.filter((list) => list.length >= SHORT || includes(condition, JSON.parse(list) as Scalar[]));
  const isExact = !effective && values.every((list) => list.length < SHORT);
  return { walk: { by: 'values', keyNo, values }, isExact };
}
