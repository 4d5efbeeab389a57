import { statSync } from 'node:fs';

/** By device and inode; undefined where there is no file. */
export type FileIdentity = { database: string | undefined; log: string | undefined; index: string | undefined };
export type Mismatch = { file: keyof FileIdentity; is: 'missing' | 'other' };

const ENDINGS = { database: '', log: '-wal', index: '-shm' } as const;
const FILES = Object.keys(ENDINGS) as (keyof FileIdentity)[];

/**
 * The files behind an open connection. SQLite keeps its files open and never looks at the path again, so a database that was
 * deleted, moved or replaced would take writes that the next start cannot find.
 */
export class OpenFile {
  readonly path: string;
  readonly identity: FileIdentity;

  /** Call it after the connection has read something: SQLite makes the log and its index then, and keeps both while it is open. */
  constructor(path: string, identity: FileIdentity = identify(path)) {
    this.path = path;
    this.identity = identity;
  }

  /** Which file at the path is not the open one. Three calls of stat, some microseconds. */
  mismatch(): Mismatch | undefined {
    for (const file of FILES) {
      const found = identityOf(this.path + ENDINGS[file]);
      if (found !== this.identity[file]) return { file, is: found === undefined ? 'missing' : 'other' };
    }
    return undefined;
  }

  logBytes(): number {
    return statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }
}

/** What is wrong, then what to do. */
export function describeMismatch(path: string, { file, is }: Mismatch): string {
  const happened = is === 'missing' ? 'was deleted or moved' : 'was replaced by another file';
  const stopped = `${path}${ENDINGS[file]} ${happened} while Innkeeper had it open, so nothing is read or written any more.`;
  if (file !== 'database') return `${stopped} Stop every process that uses the database, then start the service again.`;
  return `${stopped} Stop the service, move the right file to that path (or restore a backup), then start it again. If the open file itself is moved back, the service resumes by itself.`;
}

function identify(path: string): FileIdentity {
  return { database: identityOf(path), log: identityOf(`${path}-wal`), index: identityOf(`${path}-shm`) };
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
