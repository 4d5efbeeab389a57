import type { OptionKey, Scalar, Selection, UserOption, Value } from './options.ts';

/** chosen: saved by the user. default: the key's default. unset: neither. */
export type Source = 'chosen' | 'default' | 'unset';

/** What the service has for a key, as far as this page knows. */
export type Held = { value: Value | undefined; source: Source; uid: string | null; etag: string | null };

/**
 * The user's change to a key. A list of allowed values is changed rather than replaced, because another page may have
 * changed it too.
 */
export type Change = { value: Value } | { unset: true } | { add: readonly Scalar[]; remove: readonly Scalar[] };

export function heldOf(key: OptionKey, selection: Selection | UserOption | null | undefined): Held {
  if (!selection) {
    const value = key.default_value ?? undefined;
    return { value, source: value === undefined ? 'unset' : 'default', uid: null, etag: null };
  }
  const source = 'source' in selection && selection.source === 'default' ? 'default' : 'chosen';
  return { value: selection.option.value, source, uid: selection.user_options_uid, etag: selection.etag };
}

/** The change from what is shown to what the user chose. */
export function toChange(key: OptionKey, shown: Value | undefined, value: Value | undefined): Change {
  if (value === undefined) return { unset: true };
  if (!isClosedList(key) || !isList(value)) return { value };
  const before = listOf(shown);
  const add = value.filter((each) => !before.includes(each));
  const remove = before.filter((each) => !value.includes(each));
  return add.length + remove.length > 0 ? { add, remove } : { value };
}

/** What to show while a change is not saved yet: the change applied to what the service has. */
export function overlay(key: OptionKey, held: Held, change: Change | undefined): Held {
  if (!change) return held;
  if ('unset' in change) return heldOf(key, undefined);
  return {
    ...held,
    value: 'value' in change ? change.value : listAfter(key, listOf(held.value), change),
    source: 'chosen',
  };
}

/** Combines two changes: the later of two values, or everything added and removed. */
export function combine(key: OptionKey, first: Change | undefined, then: Change): Change {
  if (!first || !('add' in then)) return then;
  if ('unset' in first) return { value: listAfter(key, listOf(key.default_value ?? undefined), then) };
  if ('value' in first) return { value: listAfter(key, listOf(first.value), then) };
  const without = (list: readonly Scalar[], other: readonly Scalar[]) => list.filter((each) => !other.includes(each));
  return {
    add: [...without(first.add, [...then.remove, ...then.add]), ...then.add],
    remove: [...without(first.remove, [...then.add, ...then.remove]), ...then.remove],
  };
}

/** Whether there is nothing left to send. */
export function isDone(key: OptionKey, { value, source, uid }: Held, change: Change): boolean {
  if ('unset' in change) return uid === null && source !== 'chosen';
  if (source !== 'chosen') return false;
  if ('value' in change) return isSame(key, value, change.value);
  const list = listOf(value);
  return change.add.every((each) => list.includes(each)) && !change.remove.some((each) => list.includes(each));
}

/** The order of a list matters unless it is the catalog's. */
function isSame(key: OptionKey, a: Value | undefined, b: Value): boolean {
  if (!isList(b)) return (isList(a) ? a[0] : a) === b;
  const [one, other] = [[...new Set(listOf(a))], [...new Set(b)]];
  if (one.length !== other.length) return false;
  return isClosedList(key) ? one.every((each) => other.includes(each)) : one.every((each, at) => each === other[at]);
}

function listAfter(
  key: OptionKey,
  list: readonly Scalar[],
  { add, remove }: { add: readonly Scalar[]; remove: readonly Scalar[] },
): Scalar[] {
  const left = new Set([...list.filter((each) => !remove.includes(each)), ...add]);
  const offered = (key.allowed_values ?? []).map(({ value }) => value);
  return [...offered.filter((each) => left.delete(each)), ...left];
}

const isClosedList = (key: OptionKey): boolean => key.multiple && !!key.allowed_values;

const isList = (value: Value | undefined): value is readonly Scalar[] => Array.isArray(value);

const listOf = (value: Value | undefined): readonly Scalar[] =>
  isList(value) ? value : value === undefined ? [] : [value];
