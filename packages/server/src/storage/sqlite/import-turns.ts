import { setTimeout as sleep } from 'node:timers/promises';

/** How long batches pause after another process wrote. */
const PAUSING_MS = 2_000;
/** Longer than SQLite sleeps between its first tries for the lock. */
const PAUSE_MS = 12;

/**
 * The batches of an import follow each other so closely that another process, such as a server, would rarely get the
 * lock and wait for a second. So after another process has written, batches pause for a while.
 */
export function takeTurns(didOthersWrite: () => Promise<boolean>): <T>(importOne: () => Promise<T>) => Promise<T> {
  let pausingUntil = 0;
  let last: Promise<unknown> = Promise.resolve();

  const turn = async <T>(importOne: () => Promise<T>): Promise<T> => {
    // Requested in the same turn of the event loop, so it shares the transaction.
    const [result, othersWrote] = await Promise.all([importOne(), didOthersWrite()]);
    if (othersWrote) pausingUntil = performance.now() + PAUSING_MS;
    return result;
  };

  return (importOne) => {
    const considerate = performance.now() < pausingUntil;
    const importing = considerate ? last.then(() => sleep(PAUSE_MS)).then(() => turn(importOne)) : turn(importOne);
    last = importing.catch(() => {});
    return importing;
  };
}
