import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../caught.ts';
import { identityOf } from './open-file.ts';

/**
 * A process that has the database open leaves a note next to it, and removes it after closing the file. SQLite deletes
 * the log when the last connection is closed, so a missing log is normal, unless there is a note of a process that has
 * ended.
 */
export type OpenNote = { remove(): void };

/**
 * `startedAt` tells apart processes with the same id, if the system has it; `database` and `log` identify the files by
 * device and inode.
 */
type Noted = {
  pid: number;
  startedAt: string | null;
  database: string | undefined;
  log?: string | undefined;
  /** When the database file was created: a new file may get the inode of a deleted one. */
  born?: string | undefined;
};

export function leaveNote(path: string): OpenNote {
  const note = join(dirname(path), `${prefixOf(path)}${randomBytes(8).toString('hex')}`);
  const { pid } = process;
  const [database, log, born] = [identityOf(path), identityOf(`${path}-wal`), birthOf(path)];
  const noted: Noted = { pid, startedAt: startOf(pid), database, log, born };
  quietly(() => writeFileSync(note, JSON.stringify(noted), { mode: 0o600, flag: 'wx' }));
  return { remove: () => quietly(() => rmSync(note, { force: true })) };
}

/** Notes about this file by processes that ended without closing it. */
export function staleNotes(path: string): string[] {
  const database = identityOf(path);
  return readNotes(path)
    .filter(({ noted }) => noted.database === database && !isAlive(noted))
    .map(({ note }) => note);
}

/**
 * The note of a process that ended with this very log and another database: the log does not belong to the file next to
 * it. Compares only inodes, because a machine may renumber its devices; if all files were copied, the log is another
 * one too.
 */
export function findNoteOfOtherLog(path: string): string | undefined {
  const [database, log] = [inodeOf(identityOf(path)), inodeOf(identityOf(`${path}-wal`))];
  if (log === undefined || database === undefined) return undefined;
  const ofLog = readNotes(path).filter(({ noted }) => inodeOf(noted.log) === log);
  const born = birthOf(path);
  const isSame = ({ born: then }: Noted) => then === undefined || born === undefined || then === born;
  if (ofLog.some(({ noted }) => inodeOf(noted.database) === database && isSame(noted))) return undefined;
  return ofLog.find(({ noted }) => !isAlive(noted))?.note;
}

/** Called once the database is open with everything in its log. */
export function removeStaleNotes(path: string): void {
  for (const note of staleNotes(path)) quietly(() => rmSync(note, { force: true }));
}

/** undefined if the system does not store it, and returns the time of the last change or nothing. */
function birthOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!found || found.birthtimeNs === 0n || found.birthtimeNs === found.ctimeNs) return undefined;
  return String(found.birthtimeNs);
}

function inodeOf(identity: string | undefined): string | undefined {
  return identity?.split(':')[1];
}

function readNotes(path: string): { note: string; noted: Noted }[] {
  const notes: { note: string; noted: Noted }[] = [];
  let names: string[] = [];
  quietly(() => {
    names = readdirSync(dirname(path));
  });
  for (const name of names.filter((each) => each.startsWith(prefixOf(path)))) {
    const note = join(dirname(path), name);
    // Removed meanwhile, or not written completely.
    quietly(() => notes.push({ note, noted: JSON.parse(readFileSync(note, 'utf8')) as Noted }));
  }
  return notes;
}

/** Hidden, so that it is not among `innkeeper.db-*`. */
function prefixOf(path: string): string {
  return `.${basename(path)}.open-`;
}

function isAlive({ pid, startedAt }: Noted): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  return startOf(pid) === startedAt;
}

/** In ticks since the machine was started; null if the system does not say. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may contain anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Ignores errors, such as a read-only folder: then there is no warning. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // As above.
  }
}
