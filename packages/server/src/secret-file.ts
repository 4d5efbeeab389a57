import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './caught.ts';
import { SECRET_FACT } from './domain/check-secret.ts';
import { createKeyring } from './domain/keyring.ts';
import { flushFolder, makeFolder } from './file-names.ts';
import { FIRST_TABLE } from './storage/sqlite/open-note.ts';

/** Where a database is: the real path, and the given path if that was a symbolic link. */
export type DatabasePlace = { databaseUrl: string; databaseLink: string | undefined };

/**
 * The path of the secret file of an embedded database; the file need not exist yet. It is next to the database. Earlier
 * versions created it next to a symbolic link to the database, and it is still found there.
 */
export function secretPath({ databaseUrl, databaseLink }: DatabasePlace): string | undefined {
  if (!databaseUrl.startsWith('sqlite:')) return undefined;
  const database = databaseUrl.slice('sqlite:'.length);
  const beside = `${database}.secret`;
  const besideLink = `${databaseLink}.secret`;
  if (databaseLink === undefined || !existsSync(besideLink)) return beside;
  if (!existsSync(beside)) return besideLink;
  const [one, other] = [readSecretFile(beside), readSecretFile(besideLink)];
  return one !== other && fits(other, database) ? besideLink : beside;
}

/** Reads the secret, or creates one for a database that has never had any. */
export function keepSecret(place: DatabasePlace, problems: string[]): string {
  const path = secretPath(place);
  if (path === undefined) {
    problems.push(
      'INNKEEPER_SECRET is required with PostgreSQL: every replica needs the same one. Create one with: openssl rand -base64 48',
    );
    return '';
  }
  const database = place.databaseUrl.slice('sqlite:'.length);
  if (!existsSync(path)) {
    // Create no secret for another program's file or a device; opening it is refused later.
    if (!isFileOrNew(database) || isForeign(database)) return '';
    // Check the file again: another process may have created the secret and used the database in between.
    if (!isUnused(database) && !existsSync(path)) {
      problems.push(
        `${path} is missing, but its database exists: stored data could not be decrypted. Restore the file, or set INNKEEPER_SECRET to its content.`,
      );
      return '';
    }
    makeSecretFile(path);
  }
  const secret = readSecretFile(path);
  const problem = fileProblem(path, database, secret);
  if (problem !== undefined && !(secret === '' && fits('', database))) problems.push(problem);
  return secret;
}

/** Reports a secret file that has no secret, or not the one the service saved next to it, and what to do about it. */
export function findSecretProblem(place: DatabasePlace): string | undefined {
  const path = secretPath(place);
  if (path === undefined || !existsSync(path)) return undefined;
  return fileProblem(path, place.databaseUrl.slice('sqlite:'.length), readSecretFile(path));
}

function fileProblem(path: string, database: string, secret: string): string | undefined {
  const recovered = recoveredPaths(path).filter((each) => existsSync(each));
  const right = recovered.find((each) => fits(readSecretFile(each), database));
  const opens = [secret, readPreviousSecret(path)].some((each) => fits(each, database));
  if (right !== undefined && !opens) {
    return `INNKEEPER_SECRET does not match this database: ${path} was changed while the service ran, and the service saved the right one. Run: mv ${right} ${path}`;
  }
  return secret === '' ? emptySecretProblem(path, database) : undefined;
}

function emptySecretProblem(path: string, database: string): string {
  if (fits('', database)) {
    return `INNKEEPER_SECRET is empty: ${path} has no content, and this database was encrypted without a secret, so anyone with a copy of it can decrypt it. Create a new database with a secret of its own, then move the data with innkeeper catalog export, innkeeper users export and their counterparts.`;
  }
  const remedy = isUnused(database)
    ? `Delete ${path}, and a new secret is created at the next start.`
    : 'Restore its content from your backup; nothing else can decrypt this database.';
  return `INNKEEPER_SECRET is empty: ${path} has no content. ${remedy}`;
}

/** The existing secret, or an empty string. */
export function findSecret(place: DatabasePlace): string {
  const path = secretPath(place);
  return path !== undefined && existsSync(path) ? readSecretFile(path) : '';
}

export function previousSecretPath(path: string): string {
  return `${path}.previous`;
}

/** The previous secret, from the file next to the current one; '' if there is none. */
export function readPreviousSecret(path: string): string {
  const previous = previousSecretPath(path);
  if (!existsSync(previous) || !existsSync(path)) return '';
  const secret = readSecretFile(previous);
  return secret === readSecretFile(path) ? '' : secret;
}

/**
 * Replaces the secret in the file and saves the old one next to it. If the process stops at any point, the files still
 * open the database: one of them always has the old secret. Holds the database's write lock, so only one command does
 * this at a time.
 */
export function renewSecretFile(path: string, databaseUrl: string): void {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { timeout: 5_000 });
  try {
    database.exec('begin immediate');
    const check = database.prepare('select value from facts where name = ?').get(SECRET_FACT)?.value as string;
    const secret = readSecretFile(path);
    // If another command has just done this, the database still uses the previous secret.
    if (createKeyring(secret).unseal(check) !== undefined) {
      replaceFile(previousSecretPath(path), secret, path);
      replaceFile(path, newSecret(), path);
    }
    database.exec('rollback');
  } finally {
    database.close();
  }
}

/** Keeps the owner of the secret file: root may run the command for a service that is not root. */
function replaceFile(path: string, secret: string, ownedAs: string): void {
  const target = existsSync(path) ? realpathSync(path) : path;
  const { uid, gid } = statSync(ownedAs);
  const draft = draftPath(target);
  try {
    writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true });
    chmodSync(draft, 0o600);
    if (process.getuid?.() === 0) chownSync(draft, uid, gid);
    renameSync(draft, target);
    flushFolder(dirname(target));
  } catch (error) {
    throw Object.assign(error as Error, { path });
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Writes the file again if it was deleted while the service runs: the next start would fail without it. True if it did.
 */
export function putSecretBack(path: string, secret: string): boolean {
  if (existsSync(path)) return false;
  makeSecretFile(path, secret);
  return true;
}

/**
 * Undefined while the file has this secret. Otherwise the path of a file next to it that does: the changed file is
 * kept, because its content may be needed.
 */
export function recoverSecret(path: string, secret: string): string | undefined {
  if (readSecretFile(path) === secret) return undefined;
  const beside = recoveredPaths(path).find((each) => !existsSync(each) || readSecretFile(each) === secret);
  if (beside === undefined) throw new Error(`${recoveredPaths(path).join(', ')} have other content`);
  putSecretBack(beside, secret);
  return beside;
}

function recoveredPaths(path: string): string[] {
  return ['.recovered', '.recovered-2', '.recovered-3'].map((ending) => path + ending);
}

/** Hard-linked into place, so that two processes that start at once agree on one secret. */
function makeSecretFile(path: string, secret = newSecret()): void {
  makeFolder(dirname(path));
  const draft = draftPath(path);
  try {
    writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true });
    chmodSync(draft, 0o600);
    linkSync(draft, path);
  } catch (error) {
    // Node does not name the file when the disk is full.
    if (codeOf(error) !== 'EEXIST') throw Object.assign(error as Error, { path });
  } finally {
    rmSync(draft, { force: true });
  }
}

function draftPath(path: string): string {
  return `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
}

function newSecret(): string {
  return randomBytes(48).toString('base64url');
}

export function readSecretFile(path: string): string {
  return readFileSync(path, 'utf8').trim();
}

/** A database is bound to a secret when it is first used: until then, nothing in it depends on one. */
function isUnused(database: string): boolean {
  const file = statSync(database, { throwIfNoEntry: false });
  return !file || file.size === 0 || readCheck(database) === undefined;
}

function isFileOrNew(database: string): boolean {
  return statSync(database, { throwIfNoEntry: false })?.isFile() !== false;
}

/** Has tables, but not the first of ours (storage/sqlite/open-note.ts). */
function isForeign(path: string): boolean {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0 || existsSync(`${path}-journal`)) return false;
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    try {
      const names = database.prepare("select name from sqlite_schema where type = 'table'").all();
      return names.length > 0 && !names.some(({ name }) => name === FIRST_TABLE);
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}

function fits(secret: string, database: string): boolean {
  const sealed = existsSync(database) ? readCheck(database) : undefined;
  return typeof sealed === 'string' && createKeyring(secret).unseal(sealed) !== undefined;
}

/**
 * The check value that the database stores for its secret; null if it cannot be read. Rarely needed, so SQLite is
 * loaded only here.
 */
function readCheck(path: string): string | undefined | null {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  try {
    // A start that was killed while creating the file leaves a journal, which SQLite must roll back before it can read.
    const readOnly = !existsSync(`${path}-journal`);
    const database = new DatabaseSync(path, { readOnly, timeout: 5_000 });
    try {
      // A start that failed or was killed leaves no tables; another process may be about to create them.
      if (!database.prepare("select 1 from sqlite_schema where name = 'facts'").get()) return undefined;
      return database.prepare('select value from facts where name = ?').get(SECRET_FACT)?.value as string | undefined;
    } finally {
      database.close();
    }
  } catch {
    return null;
  }
}
