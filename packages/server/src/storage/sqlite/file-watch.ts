import { messageOf } from '../../caught.ts';
import { type Problem, StorageUnavailable } from '../port.ts';
import { hardLinkSteps } from '../repair-steps.ts';
import { describeMismatch, type OpenFile } from './open-file.ts';

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
