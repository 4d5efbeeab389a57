import type { Acts } from './acts.ts';
import type { ActResult, BatchMessage } from './batch.ts';
import type { Connection } from './connection.ts';
import { isBusy, isDamage, isUnavailable, isUnwritable } from './errors.ts';

/**
 * Group commit: all acts of a batch share one transaction and its one flush to disk, and results
 * are handed out only after it. When an act fails, the batch is undone and every act runs again in a
 * transaction of its own, so that one bad act never takes its neighbours down.
 */
export async function runBatch(connection: Connection, acts: Acts, batch: BatchMessage['acts']): Promise<ActResult[]> {
  try {
    return await runInOneTransaction(connection, acts, batch);
  } catch (error) {
    if (batch.length === 1 || isUnavailable(error)) return batch.map(() => failure(error));
    const results: ActResult[] = [];
    for (const act of batch) {
      try {
        results.push(...(await runInOneTransaction(connection, acts, [act])));
      } catch (ownError) {
        results.push(failure(ownError));
      }
    }
    return results;
  }
}

/** Promises that acts answer are of this thread's own reads and writes: nothing else gets a turn before the commit. */
async function runInOneTransaction(
  connection: Connection,
  acts: Acts,
  batch: BatchMessage['acts'],
): Promise<ActResult[]> {
  const { database, statement } = connection;
  statement('begin immediate').run();
  try {
    const results: ActResult[] = [];
    for (const [name, args] of batch) {
      const outcome = (acts[name] as (...args: unknown[]) => unknown)(...args);
      results.push({ outcome: outcome instanceof Promise ? await outcome : outcome });
    }
    statement('commit').run();
    return results;
  } catch (error) {
    // A full disk may have rolled back by itself.
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

function failure(error: unknown): ActResult {
  const { message, stack = message } = error instanceof Error ? error : new Error(String(error));
  if (!isUnavailable(error)) return { failed: 'defect', message: stack };
  return {
    failed: 'unavailable',
    message,
    ...(isUnwritable(error) && { unwritable: true }),
    ...(isDamage(error) && { damaged: true }),
    ...(isBusy(error) && { busy: true }),
  };
}
