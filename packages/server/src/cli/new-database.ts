import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Config } from '../config.ts';
import { secretPath } from '../secret-file.ts';
import { staleNotes } from '../storage/sqlite/open-note.ts';
import { Failure } from './failure.ts';

/**
 * Creates the database in the settings if it does not exist, before its secret: so a secret without a database always
 * means that the database was lost, never that a first start failed halfway. Returns whether it created one.
 */
export async function makeDatabase(config: Config, { anyway = false } = {}): Promise<boolean> {
  if (!config.databaseUrl.startsWith('sqlite:')) return false;
  const path = config.databaseUrl.slice('sqlite:'.length);
  if (anyway) refuseLostLog(path);
  else refuseLostDatabase(config);
  const { storageDriver } = await import('../storage/open.ts');
  const driver = await storageDriver(config.databaseUrl);
  // Create no secret for another program's file: the driver refuses it. A journal is rolled back when the file is
  // opened for writing.
  if (isFilled(path) && !existsSync(secretPath(config) ?? '') && !existsSync(`${path}-journal`))
    await driver.migrationState();
  if (existsSync(path) && (!anyway || isFilled(path))) return false;
  await driver.migrate();
  return true;
}

/** Call it before anything opens the file: SQLite deletes the log of an empty database, even when it only reads. */
export function refuseLostDatabase(config: Config): void {
  if (!config.databaseUrl.startsWith('sqlite:')) return;
  const path = config.databaseUrl.slice('sqlite:'.length);
  // In this order: another process that creates the secret now has created the database before.
  const left = findLeftovers(config, path);
  if (!isFilled(path)) refuse(config, path, left);
  refuseLostLog(path);
}

/**
 * SQLite creates the index after the log and deletes it before the log: an index alone means that the log was deleted.
 * So does the marker of a process that ended without closing the database.
 */
function refuseLostLog(path: string): void {
  const [log, index] = [`${path}-wal`, `${path}-shm`];
  if (!isFilled(path) || existsSync(log)) return;
  const traces = [...(existsSync(index) ? [index] : []), ...staleNotes(path)];
  // Check again: another process may be opening the database.
  if (traces.length === 0 || existsSync(log)) return;
  const opened = traces.includes(index)
    ? ''
    : ' Do that too if another program, such as sqlite3, has opened the database since: it moved the log into the file.';
  throw new Failure(
    `the write-ahead log ${log} was deleted or moved and may contain the latest writes. Nothing was changed.`,
    {
      remedy: `Stop every process that uses the database, then move ${log} back. If you do not have it, restore a backup, or delete ${listed(traces)} to continue without those writes.${opened}`,
    },
  );
}

/** A log whose database is lost may contain data that is nowhere else, and SQLite would delete it. */
export function refuseOverLog({ databaseUrl }: Config): void {
  const path = databaseUrl.slice('sqlite:'.length);
  if (!databaseUrl.startsWith('sqlite:') || existsSync(path) || !isFilled(`${path}-wal`)) return;
  throw new Failure(`nothing was changed: ${path} is missing, but its write-ahead log ${path}-wal exists.`, {
    remedy: `Move the database back to ${path} if you have it; otherwise move ${path}-wal away, then try again.`,
  });
}

function findLeftovers(config: Config, path: string): string[] {
  const secret = secretPath(config);
  const folder = dirname(path);
  const stem = basename(path, extname(path));
  const isBackup = (name: string): boolean =>
    (name.startsWith(`${stem}.`) || name.startsWith(`${stem}-`)) && /\.(backup|bak)$/.test(name);
  return [
    ...(secret !== undefined && existsSync(secret) ? [secret] : []),
    ...[`${path}-wal`, `${path}-shm`].filter((log) => existsSync(log)),
    ...(existsSync(folder) ? readdirSync(folder).filter(isBackup) : []).map((name) => join(folder, name)),
  ];
}

function refuse({ databaseLink }: Config, path: string, left: readonly string[]): void {
  const state = existsSync(path) ? 'is empty' : 'does not exist';
  const remedy = `Put the database back at ${path}, or restore a backup with: innkeeper restore FILE. To start with a new, empty database, run once: innkeeper serve --new (for the demo: npm start -- --new)`;
  if (left.length > 0) {
    throw new Failure(
      `the database ${path} ${state}, but ${listed(left)} ${left.length === 1 ? 'exists' : 'exist'}: it was deleted or moved. No new database was created.`,
      { remedy },
    );
  }
  if (databaseLink !== undefined && databaseLink !== path && !existsSync(dirname(path))) {
    throw new Failure(
      `${databaseLink} is a symbolic link to ${path}, in a folder that does not exist. No new database was created.`,
      { remedy: `Check that its disk is mounted. ${remedy}` },
    );
  }
}

function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(names);
}

function isFilled(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
