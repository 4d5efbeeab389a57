import type { SelectionRecord, WantedChange } from '../../storage/port.ts';

/**
 * Maximum characters of all selections of one user. Every read of a user reads all of them at once: hundreds of long
 * lists would hold everyone up. It is more than any form asks for; small selections are bounded by the catalog, because
 * each key has one.
 */
export const MAX_HELD = 2 * 1024 ** 2;
/** Too small to check: a thousand of these are a quarter of what a user may have. */
const SMALL = 512;
const MANY_KEYS = 1_000;

type Held = Pick<SelectionRecord, 'keyNo' | 'value'> & { texts?: string | null | undefined };

function sizeOf(held: Iterable<Held>): number {
  let size = 0;
  for (const { value, texts } of held) size += value.length + (texts?.length ?? 0);
  return size;
}

/** Whether the user's existing selections must be counted before saving. */
export function needsCounting(values: readonly (readonly unknown[])[], keys: number): boolean {
  if (keys > MANY_KEYS) return true;
  return values.some((list) => list.reduce<number>((size, each) => size + lengthOf(each), 0) > SMALL);
}

/** For input that may not be checked yet: anything but a string is short, or refused. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 8;
}

/** A save that makes things smaller is always allowed: that is how to get below the limit. */
export function isTooMuch(current: ReadonlyMap<number, Held>, changes: readonly WantedChange[]): boolean {
  const replaced = changes.flatMap(({ keyNo }) => current.get(keyNo) ?? []);
  const growth = sizeOf(changes) - sizeOf(replaced);
  return growth > 0 && sizeOf(current.values()) + growth > MAX_HELD;
}

const waiting = new Map<string, Promise<unknown>>();

/** Runs large saves of one user one after another, so that each counts what the one before has saved. */
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
