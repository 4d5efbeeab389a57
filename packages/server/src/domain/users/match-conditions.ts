import type { UserWalk, WalkedSelection, WalkedUser } from '../../storage/port.ts';
import type { Scalar } from '../catalog/catalog.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';
import { isAllowed } from '../selections/effective.ts';
import type { Condition } from './where.ts';

type Value = Scalar | Scalar[] | undefined;
type Selected = WalkedUser['selected'];
type Rules = { catalog: CompiledCatalog; effective: boolean };

/** Whether all conditions hold for what a user selected. */
export function createMatcher(
  conditions: readonly Condition[],
  { catalog, effective }: Rules,
): (selected: Selected) => boolean {
  const tests = conditions.map((condition) => {
    const { keyNo } = condition.placed.key;
    return effective
      ? (selected: Selected) => holds(condition, effectiveValue(catalog, condition.placed, selected[keyNo]))
      : (selected: Selected) => holds(condition, savedValue(selected[keyNo]));
  });
  return (selected) => tests.every((test) => test(selected));
}

function savedValue(selection: WalkedSelection | undefined): Value {
  return selection && (JSON.parse(selection[1]) as Scalar | Scalar[]);
}

/** What an application should act on now (CONTRACT.md section 3). */
export function effectiveValue(
  catalog: CompiledCatalog,
  placed: PlacedKey,
  selection: WalkedSelection | undefined,
): Value {
  if (placed.key.archived) return undefined;
  if (selection && isAllowed(catalog, placed, { revision: selection[0], value: selection[1] })) {
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

/** A walk that meets everybody a condition holds for, and `isExact` if nobody else; undefined: only one through all users. */
export function walkOf(
  condition: Condition,
  { catalog, effective }: Rules,
): { walk: UserWalk; isExact: boolean } | undefined {
  const { keyNo, multiple } = condition.placed.key;
  // Those without a selection of their own are met by no index.
  if (condition.test === 'unsaved' || condition.test === 'differs') return undefined;
  if (effective && holds(condition, effectiveValue(catalog, condition.placed, undefined))) return undefined;
  if (condition.test === 'saved') return { walk: { by: 'key', keyNo }, isExact: !effective };
  const json = JSON.stringify(condition.value);
  const isExact = !effective && json.length <= SHORT;
  return multiple
    ? { walk: { by: 'element', keyNo, element: json }, isExact }
    : { walk: { by: 'value', keyNo, value: json }, isExact };
}

/** Longer ones are told apart by their beginning alone (port.ts). */
const SHORT = 200;
