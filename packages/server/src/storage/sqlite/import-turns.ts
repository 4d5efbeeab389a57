import { setTimeout as sleep } from 'node:timers/promises';

/** How long consideration lasts after another process wrote. */
const CONSIDERATE_MS = 2_000;
/** Longer than SQLite sleeps between its first tries for the lock. */
const PAUSE_MS = 12;

/**
 * The batches of an import follow each other so closely that another process, a server, would seldom find the file
 * free and wait for a second. So once somebody else has written, there is a pause between two batches for a while.
 */
export function takeTurns(didOthersWrite: () => Promise<boolean>): <T>(importOne: () => Promise<T>) => Promise<T> {
  let considerateUntil = 0;
  let last: Promise<unknown> = Promise.resolve();

  const turn = async <T>(importOne: () => Promise<T>): Promise<T> => {
    // Asked for in the same turn of the event loop, it shares the transaction.
    const [result, othersWrote] = await Promise.all([importOne(), didOthersWrite()]);
    if (othersWrote) considerateUntil = performance.now() + CONSIDERATE_MS;
    return result;
  };

  return (importOne) => {
    const considerate = performance.now() < considerateUntil;
    const importing = considerate ? last.then(() => sleep(PAUSE_MS)).then(() => turn(importOne)) : turn(importOne);
    last = importing.catch(() => {});
    return importing;
  };
}
