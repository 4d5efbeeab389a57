import type { SelectionRecord, WantedChange } from '../../storage/port.ts';

/**
 * Characters of all selections of one user. Every read of a user reads them all, at once: hundreds of long lists would hold everyone up.
 * More than any form asks for, and each key has one selection: small ones are bounded by the catalog.
 */
export const MAX_HELD = 2 * 1024 ** 2;
/** What no check is worth: a thousand of these are a quarter of what a user may have. */
const SMALL = 512;
const MANY_KEYS = 1_000;

type Held = Pick<SelectionRecord, 'keyNo' | 'value'> & { texts?: string | null | undefined };

function sizeOf(held: Iterable<Held>): number {
  let size = 0;
  for (const { value, texts } of held) size += value.length + (texts?.length ?? 0);
  return size;
}

/** Whether what the user has is worth looking at before it is saved. */
export function isWorthCounting(values: readonly (readonly unknown[])[], keys: number): boolean {
  if (keys > MANY_KEYS) return true;
  return values.some((list) => list.reduce<number>((size, each) => size + lengthOf(each), 0) > SMALL);
}

/** Of what may not be checked yet: anything but a text is short, or refused. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 8;
}

/** What is smaller than before is saved even where it is too much: that is how one gets rid of it. */
export function isTooMuch(current: ReadonlyMap<number, Held>, changes: readonly WantedChange[]): boolean {
  const replaced = changes.flatMap(({ keyNo }) => current.get(keyNo) ?? []);
  const growth = sizeOf(changes) - sizeOf(replaced);
  return growth > 0 && sizeOf(current.values()) + growth > MAX_HELD;
}

const waiting = new Map<string, Promise<unknown>>();

/** Large saves of one user one after another: each counts what the one before has saved. */
export async function inTurnOfUser<T>(userId: string, save: () => Promise<T>): Promise<T> {
  const before = waiting.get(userId) ?? Promise.resolve();
  const mine = before.then(save, save);
  waiting.set(userId, mine);
  try {
    return await mine;
  } finally {
    if (waiting.get(userId) === mine) waiting.delete(userId);
  }
}
