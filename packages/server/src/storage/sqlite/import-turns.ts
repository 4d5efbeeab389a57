import { setTimeout as sleep } from 'node:timers/promises';
import type { TransferStore } from '../port.ts';
import type { Writer } from './writer.ts';

/** How long consideration lasts after another process wrote. */
const CONSIDERATE_MS = 2_000;
/** Longer than SQLite sleeps between its first tries for the lock. */
const PAUSE_MS = 12;

/**
 * The batches of an import follow each other so closely that another process, a server, would seldom find the file
 * free and wait for a second. So once somebody else has written, there is a pause between two batches for a while.
 */
export function importInTurns(writer: Writer): TransferStore['importUsers'] {
  let considerateUntil = 0;
  let last: Promise<unknown> = Promise.resolve();

  const importOne: TransferStore['importUsers'] = async (appId, entries, change) => {
    const { othersWrote, result } = await writer.run('importUsers', appId, JSON.stringify(entries), change);
    if (othersWrote) considerateUntil = performance.now() + CONSIDERATE_MS;
    return result;
  };

  return (appId, entries, change) => {
    const considerate = performance.now() < considerateUntil;
    const importing = considerate
      ? last.then(() => sleep(PAUSE_MS)).then(() => importOne(appId, entries, change))
      : importOne(appId, entries, change);
    last = importing.catch(() => {});
    return importing;
  };
}
