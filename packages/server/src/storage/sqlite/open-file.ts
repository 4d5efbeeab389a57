import { accessSync, constants, readdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseHardLinked, DatabaseRefused } from '../port.ts';

/** By device and inode; undefined where there is no file. */
export type FileIdentity = { database: string | undefined; log: string | undefined; index: string | undefined };
export type Mismatch = { file: keyof FileIdentity | 'link'; is: 'missing' | 'other' | 'empty' };

const ENDINGS = { database: '', log: '-wal', index: '-shm' } as const;
const FILES = Object.keys(ENDINGS) as (keyof FileIdentity)[];

/**
 * The files behind an open connection. SQLite keeps its files open and never looks at the path again, so a database that was
 * deleted, moved or replaced would take writes that the next start cannot find.
 */
export class OpenFile {
  readonly path: string;
  readonly identity: FileIdentity;
  /** The symbolic link that led to the path, or a path through a folder that is one: the next start goes where it leads then. */
  readonly link: string | undefined;
  #descriptor: string | undefined;

  /** Call it after the connection has read something: SQLite makes the log and its index then, and keeps both while it is open. */
  constructor(
    path: string,
    { identity = identify(path), link }: { identity?: FileIdentity | undefined; link?: string | undefined } = {},
  ) {
    this.path = path;
    this.identity = identity;
    this.link = link;
  }

  /** Which file at the path is not the open one. Three or four calls of stat, some microseconds. */
  mismatch(): Mismatch | undefined {
    for (const file of FILES) {
      const found = identityOf(this.path + ENDINGS[file]);
      if (found !== this.identity[file]) return { file, is: found === undefined ? 'missing' : 'other' };
    }
    // SQLite never empties the file: somebody else did, and what is in the log alone is of no use.
    if (statSync(this.path).size === 0) return { file: 'database', is: 'empty' };
    const linked = this.link === undefined ? this.identity.database : identityOf(this.link);
    if (linked !== this.identity.database) return { file: 'link', is: linked === undefined ? 'missing' : 'other' };
    return undefined;
  }

  hasOtherNames(): boolean {
    return countNames(this.path) > 1;
  }

  /**
   * Which of the files, or the folder, this user may no longer read and write. By access(2): opening and closing one of them would
   * let go of the locks that SQLite has on it.
   */
  forbidden(): string | undefined {
    const files = FILES.map((file) => this.path + ENDINGS[file]);
    return [...files, dirname(this.path)].find((path) => {
      try {
        accessSync(path, constants.R_OK | constants.W_OK);
        return false;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code !== 'ENOENT';
      }
    });
  }

  /** Where the open file can still be read after it was deleted; undefined where it was only moved, or where the system does not say. */
  deletedFile(): string | undefined {
    this.#descriptor ??= findDescriptor(this.identity.database) ?? '';
    const found = this.#descriptor && statSync(this.#descriptor, { throwIfNoEntry: false });
    return found && found.nlink === 0 ? this.#descriptor : undefined;
  }

  logBytes(): number {
    return statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }
}

const HAPPENED: Record<Mismatch['is'], string> = {
  missing: 'was deleted or moved',
  other: 'was replaced by another file',
  empty: 'was emptied',
};

/** What is wrong, then what to do. */
export function describeMismatch(open: OpenFile, { file, is }: Mismatch): string {
  const { path, link } = open;
  if (file === 'link') {
    const leads = is === 'missing' ? 'no longer leads to a file' : 'now leads to another file';
    return `${link} ${leads}, while Innkeeper has ${path} open, so nothing is read or written any more. Point the link back to ${path}, and the service resumes by itself; or restart the service to use the file that the link leads to.`;
  }
  const deleted = file === 'database' && is !== 'empty' ? open.deletedFile() : undefined;
  if (deleted !== undefined) {
    const replaced = is === 'other' ? ' and replaced by another file' : '';
    return `${path} was deleted${replaced} while Innkeeper had it open, so nothing is read or written any more. All data is still in the open file, and is lost when the service stops. Copy it first: cp ${deleted} ${path}.rescued && sync. Stop the service only then, move ${path}.rescued to ${path}, move ${path}-wal and ${path}-shm away if they are there, and start it again.`;
  }
  const happened = HAPPENED[is];
  const stopped = `${path}${ENDINGS[file]} ${happened} while Innkeeper had it open, so nothing is read or written any more.`;
  if (file !== 'database') return `${stopped} Stop every process that uses the database, then start the service again.`;
  return `${stopped} Stop the service, move the right file to that path (or restore a backup), then start it again. If the open file itself is moved back, the service resumes by itself.`;
}

/** For a command at the end of its work: what it wrote may be where nobody looks for it. `identity` is that of the file when it was opened. */
export function refuseMoved(path: string, identity: string | undefined): void {
  const found = identityOf(path);
  if (found === identity) return;
  throw new DatabaseRefused(
    `${path} ${HAPPENED[found === undefined ? 'missing' : 'other']} while this command was writing to it. What it wrote is not there.`,
    'Move the right file to that path, then run the command again.',
  );
}

/**
 * SQLite names the log after the path: processes that open one file by two hard links each have a log of their own, and overwrite
 * what the other has written.
 */
export function refuseHardLinks(path: string): void {
  const names = countNames(path);
  if (names < 2) return;
  throw new DatabaseHardLinked(path, names);
}

function countNames(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.nlink ?? 0;
}

function identify(path: string): FileIdentity {
  return { database: identityOf(path), log: identityOf(`${path}-wal`), index: identityOf(`${path}-shm`) };
}

/** As a path under /proc, without opening it: closing it again would let go of SQLite's locks. */
function findDescriptor(identity: string | undefined): string | undefined {
  const folder = `/proc/${process.pid}/fd`;
  try {
    return readdirSync(folder)
      .map((name) => `${folder}/${name}`)
      .find((path) => identityOf(path) === identity);
  } catch {
    return undefined;
  }
}

export function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
