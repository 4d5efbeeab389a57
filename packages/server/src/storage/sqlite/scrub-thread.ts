import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../caught.ts';
import type { ScrubOutcome } from '../port.ts';
import { type Connection, connectToWrite, truncateLog } from './connection.ts';
import { isBusy, isDamage } from './errors.ts';
import { OpenFile } from './open-file.ts';
import type { ScrubData, ScrubMessage } from './scrub.ts';
import { bytesForScrub } from './scrub.ts';

const DONE = 'scrubbed-at';
const BEGUN = 'scrub-begun-at';
/** Afterwards, a scrub that did not finish was killed. */
const CLAIM_MS = 3_600_000;
const EMPTY_WAIT_MS = 500;

const { path, now, unlessSince, emptyTries } = workerData as ScrubData;
const post = (message: ScrubMessage): void => parentPort?.postMessage(message);
let connection: Connection | undefined;
try {
  connection = connectToWrite(path);
  post({ done: scrub(connection) });
} catch (error) {
  if (isBusy(error)) post({ done: { outcome: 'in-use' } });
  else post({ failed: messageOf(error), isDamage: isDamage(error) });
} finally {
  connection?.close();
}

function scrub(connection: Connection): ScrubOutcome {
  const { database } = connection;
  const number = (pragma: string): number => connection.value(`pragma ${pragma}`);
  const wholeBytes = (number('page_count') - number('freelist_count')) * number('page_size');
  const file = new OpenFile(path);
  const folder = dirname(path);
  const { bavail, bsize } = statfsSync(folder);
  const needed = { neededBytes: bytesForScrub(wholeBytes), freeBytes: bavail * bsize };
  if (needed.freeBytes < needed.neededBytes) return { outcome: 'no-space', ...needed, folder };
  if (!claim(connection)) return { outcome: 'not-due' };
  const bytesBefore = statSync(path).size;
  post({ begun: { wholeBytes } });
  // The copy is in the database's folder, where free space was checked, and has no name, so that nothing can open it.
  database.exec(`pragma temp_store_directory = '${folder.replaceAll("'", "''")}'`);
  database.exec('vacuum');
  setFact(connection, DONE, now);
  let logEmptied = false;
  for (let tries = 0; tries < emptyTries && !logEmptied; tries++) {
    logEmptied = truncateLog(connection, file, EMPTY_WAIT_MS);
    if (!logEmptied) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EMPTY_WAIT_MS);
  }
  return { outcome: 'scrubbed', bytesBefore, bytesAfter: statSync(path).size, logEmptied };
}

/** If several processes want the same scrub, one does it. */
function claim(connection: Connection): boolean {
  const { database } = connection;
  const isWithin = (fact: string, since: number): boolean => {
    const at = Number(connection.value<string | undefined>('select value from facts where name = ?', fact) ?? 0);
    // A time in the future was written by a wrong clock.
    return at > since && at <= now;
  };
  database.exec('begin immediate');
  try {
    const isDue = unlessSince === undefined || !(isWithin(DONE, unlessSince) || isWithin(BEGUN, now - CLAIM_MS));
    if (isDue) setFact(connection, BEGUN, now);
    database.exec('commit');
    return isDue;
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

function setFact({ statement }: Connection, name: string, at: number): void {
  statement(
    'insert into facts (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
  ).run(name, String(at));
}
