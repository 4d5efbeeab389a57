import { performAudited } from '../audited-storage.ts';
import type { ActCall, Authorship } from '../port.ts';
import { type PlainActs, plainActs } from './acts.ts';
import type { Connection } from './connection.ts';
import { isBusy, isDamage, isUnavailable, isUnwritable } from './errors.ts';
import type { FileIdentity } from './open-file.ts';
import { sqliteStores } from './stores.ts';
import { type SurveyReads, surveyReads } from './surveys.ts';

export type Acts = PlainActs & { audited(by: Authorship, call: ActCall): Promise<unknown> };
export type ActName = keyof Acts;

/** Everything that writes, by name. Each runs whole inside a transaction that the writer opens and commits. */
export function createActs(connection: Connection): Acts {
  const acts = plainActs(connection);
  const surveys = surveyReads(connection);
  const stores = sqliteStores(
    (makeReads) => makeReads(connection),
    (name, ...args) => call(acts[name], args) as Promise<Awaited<ReturnType<PlainActs[typeof name]>>>,
    (name, ...args) => call(surveys[name], args) as Promise<Awaited<ReturnType<SurveyReads[typeof name]>>>,
  );
  return { ...acts, audited: (by, act) => performAudited(stores, by, act) };
}

async function call(act: unknown, args: unknown[]): Promise<unknown> {
  return (act as (...args: unknown[]) => unknown)(...args);
}

/** Messages between the HTTP thread and the writer thread. The first opens the file, once its tables exist. */
export type OpenCommand = {
  path: string;
  link?: string | undefined;
  busyMs?: number | undefined;
  truncateMs?: number;
  longLog?: number;
  identity?: FileIdentity | undefined;
};
export type CloseCommand = 'close';
export type WriterReady = { identity: FileIdentity };
export type BatchMessage = { acts: [name: keyof Acts, args: unknown[]][] };
export type BatchResult = { results: ActResult[] };
export type ActResult = { outcome: unknown } | FailedAct;
type FailedAct = {
  failed: 'unavailable' | 'defect';
  message: string;
  /** The disk does not accept writes. */
  unwritable?: true;
  /** The file is damaged or cannot be read. */
  damaged?: true;
  /** Another program wrote into the open file: a check of it cannot find what is missing. */
  overwritten?: true;
  /** Another process held the write lock the whole time. */
  busy?: true;
  /** The path now leads to another file. */
  mismatched?: true;
};

/**
 * Group commit: all acts of a batch share one transaction and one flush to disk, and results are returned only after
 * it. If an act fails, the batch is rolled back and every act runs again in its own transaction, so that one bad act
 * does not affect the others.
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

/** Acts only await reads and writes of this thread: nothing else runs before the commit. */
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
    // SQLite may have rolled back by itself on a full disk.
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
