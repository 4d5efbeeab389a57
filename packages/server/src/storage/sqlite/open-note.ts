import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { identityOf } from './open-file.ts';

/**
 * A process that has the database open leaves a note beside it, and removes it after it has closed the file. SQLite deletes the
 * log when the last connection is closed, so a missing log is normal, unless the note of a process that has ended is there.
 */
export type OpenNote = { remove(): void };

/** `startedAt` tells processes apart that had the same number, where the system says it; `database` is the file by device and inode. */
type Noted = { pid: number; startedAt: string | null; database: string | undefined };

export function leaveNote(path: string): OpenNote {
  const note = join(dirname(path), `${prefixOf(path)}${randomBytes(8).toString('hex')}`);
  const { pid } = process;
  const noted: Noted = { pid, startedAt: startOf(pid), database: identityOf(path) };
  quietly(() => writeFileSync(note, JSON.stringify(noted), { mode: 0o600, flag: 'wx' }));
  return { remove: () => quietly(() => rmSync(note, { force: true })) };
}

/** Notes about this very file, of processes that ended without closing it. */
export function notesOfDead(path: string): string[] {
  let names: string[] = [];
  quietly(() => {
    names = readdirSync(dirname(path));
  });
  const notes = names.filter((name) => name.startsWith(prefixOf(path))).map((name) => join(dirname(path), name));
  return notes.filter((note) => isOfDead(note, identityOf(path)));
}

/** For who has the database open with all that is in its log. */
export function removeNotesOfDead(path: string): void {
  for (const note of notesOfDead(path)) quietly(() => rmSync(note, { force: true }));
}

/** Hidden, so that it is not among `innkeeper.db-*`. */
function prefixOf(path: string): string {
  return `.${basename(path)}.open-`;
}

function isOfDead(note: string, database: string | undefined): boolean {
  try {
    const noted = JSON.parse(readFileSync(note, 'utf8')) as Noted;
    return noted.database === database && !isAlive(noted);
  } catch {
    // Removed meanwhile, or not written in full.
    return false;
  }
}

function isAlive({ pid, startedAt }: Noted): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return startOf(pid) === startedAt;
}

/** In ticks since the machine was started; null where the system does not say. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may contain anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** A folder that takes no file: then nobody is warned. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // As above.
  }
}
