import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, messageOf } from '../../caught.ts';
import { DatabaseHardLinked, DatabaseRefused, type Problem, StorageUnavailable } from '../port.ts';
import { hardLinkSteps } from '../problems.ts';

/** By device and inode; undefined if there is no file. */
export type FileIdentity = { database: string | undefined; log: string | undefined; index: string | undefined };
export type Mismatch = { file: keyof FileIdentity | 'link'; is: 'missing' | 'other' | 'empty' };

const ENDINGS = { database: '', log: '-wal', index: '-shm' } as const;
const FILES = Object.keys(ENDINGS) as (keyof FileIdentity)[];

/**
 * The files behind an open connection. SQLite keeps its files open and never looks at the path again, so a database
 * that was deleted, moved or replaced would accept writes that the next start cannot find.
 */
export class OpenFile {
  readonly path: string;
  readonly identity: FileIdentity;
  /** The symbolic link that led to the path, or a path through a linked folder: the next start follows it again. */
  readonly link: string | undefined;
  readonly #descriptors = new Map<keyof FileIdentity, string>();

  /**
   * Call it after the connection has read something: only then does SQLite create the log and its index, and it keeps
   * both while open.
   */
  constructor(
    path: string,
    { identity = identify(path), link }: { identity?: FileIdentity | undefined; link?: string | undefined } = {},
  ) {
    this.path = path;
    this.identity = identity;
    this.link = link;
  }

  /** The file at the path that is not the open one. Takes three or four stat calls, some microseconds. */
  mismatch(): Mismatch | undefined {
    for (const file of FILES) {
      const found = identityOf(this.path + ENDINGS[file]);
      if (found !== this.identity[file]) return { file, is: found === undefined ? 'missing' : 'other' };
    }
    // SQLite never empties the file: another program did, and the log alone is useless.
    if (statSync(this.path).size === 0) return { file: 'database', is: 'empty' };
    const linked = this.link === undefined ? this.identity.database : identityOf(this.link);
    if (linked !== this.identity.database) return { file: 'link', is: linked === undefined ? 'missing' : 'other' };
    return undefined;
  }

  hasOtherNames(): boolean {
    return countNames(this.path) > 1;
  }

  /**
   * The file or folder that this user may no longer read and write. Uses access(2): opening and closing a file would
   * release SQLite's locks on it.
   */
  forbidden(): string | undefined {
    const files = FILES.map((file) => this.path + ENDINGS[file]);
    return [...files, dirname(this.path)].find((path) => {
      try {
        accessSync(path, constants.R_OK | constants.W_OK);
        return false;
      } catch (error) {
        return codeOf(error) !== 'ENOENT';
      }
    });
  }

  /**
   * Where the open file can still be read after it was deleted; undefined if it was only moved, or if the system does
   * not say.
   */
  deletedFile(file: 'database' | 'log' = 'database'): string | undefined {
    if (!this.#descriptors.has(file)) this.#descriptors.set(file, findDescriptor(this.identity[file]) ?? '');
    const descriptor = this.#descriptors.get(file);
    const found = descriptor ? statSync(descriptor, { throwIfNoEntry: false }) : undefined;
    return found && found.nlink === 0 ? descriptor : undefined;
  }

  /** Where the open log can be read, if it contains something that the open database does not. */
  unsavedLog(): string | undefined {
    const there = `${this.path}-wal`;
    const log = this.deletedFile('log') ?? (identityOf(there) === this.identity.log ? there : undefined);
    return log !== undefined && (statSync(log, { throwIfNoEntry: false })?.size ?? 0) > 0 ? log : undefined;
  }

  databaseBytes(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
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
  if (is !== 'empty' && file !== 'index') {
    const rescued = describeRescue(open, file, is);
    if (rescued !== undefined) return rescued;
  }
  const happened = HAPPENED[is];
  const stopped = `${path}${ENDINGS[file]} ${happened} while Innkeeper had it open, so nothing is read or written any more.`;
  if (file !== 'database') return `${stopped} Stop every process that uses the database, then start the service again.`;
  return `${stopped} Stop the service, move the right file to that path (or restore a backup), then start it again. If the open file itself is moved back, the service resumes by itself.`;
}

/** How to copy data that only the running process still has, before it ends. Undefined if there is none. */
function describeRescue(open: OpenFile, file: 'database' | 'log', is: Mismatch['is']): string | undefined {
  const { path } = open;
  const [database, log] = [open.deletedFile(), open.unsavedLog()];
  if (database === undefined && (log === undefined || log === `${path}-wal`)) return undefined;
  const replaced = is === 'other' ? ' and replaced by another file' : '';
  const copies = [`cp ${database ?? path} ${path}.rescued`, ...(log ? [`cp ${log} ${path}.rescued-wal`] : []), 'sync'];
  const moves = log
    ? `move ${path}.rescued to ${path} and ${path}.rescued-wal to ${path}-wal, delete ${path}-shm,`
    : `move ${path}.rescued to ${path}, move ${path}-wal and ${path}-shm away if they are there,`;
  const where = log ? 'the open files' : 'the open file';
  return `${path}${ENDINGS[file]} was deleted${replaced} while Innkeeper had it open, so nothing is read or written any more. All data is still in ${where}, and is lost when the service stops. Copy it first: ${copies.join(' && ')}. Only then stop every process that uses the database, ${moves} and start the service again.`;
}

/**
 * For a command that has finished: its writes may be in a file that is no longer at the path. `identity` is that of the
 * file when it was opened.
 */
export function refuseMoved(path: string, identity: string | undefined): void {
  const found = identityOf(path);
  if (found === identity) return;
  throw new DatabaseRefused(
    `${path} ${HAPPENED[found === undefined ? 'missing' : 'other']} while this command was writing to it, so its changes are not in the file at this path.`,
    'Move the right file to that path, then run the command again.',
  );
}

/**
 * A folder, a device, or a file with a second name. SQLite names the log after the path: processes that open one file through two
 * hard links have separate logs, and overwrite each other's data.
 */
export function refuseUnusablePath(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory())
    throw new DatabaseRefused(
      `${path} is a folder, not a database file.`,
      `Add a file name: sqlite:${path}/innkeeper.db`,
    );
  if (found?.isFile() === false)
    throw new DatabaseRefused(
      `${path} is a device, pipe or socket, not a database file.`,
      'Choose another path in INNKEEPER_DATABASE_URL, for example sqlite:./data/innkeeper.db',
    );
  const names = countNames(path);
  if (names > 1) throw new DatabaseHardLinked(path, names);
  if (!mountPoints(readMounts()).includes(path)) return;
  throw new DatabaseRefused(
    `the database file ${path} is mounted by itself. SQLite keeps its log beside that path, outside the mounted file, so the latest writes would be lost with it.`,
    `Mount the folder instead: with Docker, -v ./data:${dirname(path)}.`,
  );
}

function readMounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    // Not Linux.
    return '';
  }
}

/** The fifth field of each line; spaces in it are written as octal escapes. */
export function mountPoints(mounts: string): string[] {
  const unescaped = (text: string) =>
    text.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8)));
  return mounts
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? [])
    .map(unescaped);
}

function countNames(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.nlink ?? 0;
}

function identify(path: string): FileIdentity {
  return { database: identityOf(path), log: identityOf(`${path}-wal`), index: identityOf(`${path}-shm`) };
}

/** As a path under /proc, without opening it: closing it again would release SQLite's locks. */
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

const EVERY_MS = 1_000;
/** The log is usually some megabytes long. A restore or a scrub briefly makes it as long as the file. */
const LARGE_LOG = 256 * 1024 * 1024;
const LARGE_FOR_MS = 60_000;

/** Checks the files of an open database every second and reports problems. */
export class FileWatch {
  readonly #file: OpenFile;
  readonly #timer: NodeJS.Timeout;
  #mismatch: string | undefined;
  readonly #largeForMs: number;
  #largeSince: number | undefined;
  #hasOtherNames = false;
  #forbidden: string | undefined;
  logBytes = 0;
  #databaseBytes = 0;
  /**
   * The database file became shorter. SQLite does that only after a vacuum; `cp` onto the file does too, unnoticed by
   * SQLite.
   */
  onShorter: () => void = () => {};

  constructor(file: OpenFile, largeForMs = LARGE_FOR_MS) {
    this.#file = file;
    this.#largeForMs = largeForMs;
    this.#timer = setInterval(() => this.look(), EVERY_MS).unref();
    this.look();
  }

  look(): void {
    try {
      const mismatch = this.#file.mismatch();
      this.#mismatch = mismatch && describeMismatch(this.#file, mismatch);
      this.#hasOtherNames = this.#file.hasOtherNames();
      this.#forbidden = this.#file.forbidden();
      this.logBytes = this.#file.logBytes();
      const bytes = this.#file.databaseBytes();
      if (bytes < this.#databaseBytes && mismatch === undefined) this.onShorter();
      this.#databaseBytes = bytes;
      this.#largeSince = this.logBytes < LARGE_LOG ? undefined : (this.#largeSince ?? performance.now());
    } catch (error) {
      // For example, the folder can no longer be searched.
      this.#mismatch = `The database file cannot be found: ${messageOf(error)}.`;
    }
  }

  /** Throws StorageUnavailable while the path leads to other files than the open ones. */
  check(): void {
    if (this.#mismatch !== undefined) throw new StorageUnavailable(this.#mismatch);
  }

  get isMismatched(): boolean {
    return this.#mismatch !== undefined;
  }

  problems(): Problem[] {
    const problems: Problem[] = [];
    if (this.#mismatch !== undefined) problems.push({ kind: 'file', message: this.#mismatch, effect: 'down' });
    if (this.#hasOtherNames) {
      const message = `The database file ${this.#file.path} has a second name (a hard link). Using both names would lose data, and the next start refuses the file. ${hardLinkSteps(this.#file.path)}`;
      problems.push({ kind: 'hard-link', message, effect: 'none' });
    }
    if (this.#forbidden !== undefined) {
      const message = `The service's user can no longer read and write ${this.#forbidden}. Open files keep working, but other commands and the next start will fail. Fix it with \`chown\` or \`chmod\`.`;
      problems.push({ kind: 'permissions', message, effect: 'none' });
    }
    if (this.#largeSince !== undefined && performance.now() - this.#largeSince >= this.#largeForMs) {
      const message = `The write-ahead log ${this.#file.path}-wal has ${Math.round(this.logBytes / 1024 / 1024)} MiB and cannot be emptied because a reader keeps it open. Find an \`innkeeper backup\` or export that hangs or was stopped, and end it. Watch the disk space until then.`;
      problems.push({ kind: 'log-size', message, effect: 'none' });
    }
    return problems;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
