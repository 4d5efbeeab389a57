import { messageOf } from '../../caught.ts';
import type { ActResult } from './batch.ts';
import { type Connection, setBusyTimeout, waitingAtMost } from './connection.ts';
import { describeMismatch, type OpenFile } from './open-file.ts';

const EVERY_MS = 1_000;
/** After a batch failed to get the write lock, the next ones wait only this long, until one gets it. */
const SHORT_BUSY_MS = 1_000;
/** Before each page in the log. */
const FRAME_HEADER_BYTES = 24;
const OVERWRITTEN: ActResult = {
  failed: 'unavailable',
  message: 'it is shorter than its content, because another program wrote into it while Innkeeper had it open',
  damaged: true,
  overwritten: true,
};

/**
 * Runs batches only while the path leads to the open files. A batch committed to a file that is no longer there is not
 * acknowledged.
 */
export class FileGuard {
  readonly file: OpenFile;
  readonly #connection: Connection;
  readonly #timer: NodeJS.Timeout;
  readonly #pageBytes: number;
  #version: unknown;
  #isSaved = false;
  #isOverwritten = false;
  #isBusy = false;

  constructor(connection: Connection, file: OpenFile) {
    this.#connection = connection;
    this.file = file;
    this.#version = this.#readVersion();
    this.#pageBytes = connection.value('pragma page_size');
    this.#timer = setInterval(() => this.#refusal() ?? this.#noteVersion(), EVERY_MS).unref();
  }

  async run(acts: number, runBatch: () => Promise<ActResult[]>): Promise<ActResult[]> {
    const refuse = (refusal: ActResult): ActResult[] => Array.from({ length: acts }, () => refusal);
    const before = this.#refusal();
    if (before) return refuse(before);
    const results = await runBatch();
    this.#waitLessWhileBusy(results);
    const after = this.#refusal();
    if (after) return refuse(after);
    this.#noteVersion();
    return results;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #refusal(): ActResult | undefined {
    let message: string;
    try {
      const mismatch = this.file.mismatch();
      if (!mismatch) {
        this.#isSaved = false;
        this.#isOverwritten ||= this.#isCutShort();
        return this.#isOverwritten ? OVERWRITTEN : undefined;
      }
      message = describeMismatch(this.file, mismatch);
      if (mismatch.file !== 'index' && mismatch.is !== 'empty') this.#saveLog();
    } catch (error) {
      message = messageOf(error);
    }
    return { failed: 'unavailable', message, mismatched: true };
  }

  /**
   * Each page is in the file or in the log. If together they have fewer pages than the database, another program
   * truncated the file, usually `cp` onto it. The next checkpoint would fill the gap with zeros, so the finding stays.
   * A vacuum in between changes the number of pages.
   */
  #isCutShort(): boolean {
    const pages = this.#readPages();
    const log = Math.floor(this.file.logBytes() / (this.#pageBytes + FRAME_HEADER_BYTES));
    const there = Math.floor(this.file.databaseBytes() / this.#pageBytes) + log;
    return there < pages && this.#readPages() === pages;
  }

  #readPages(): number {
    try {
      return this.#connection.value('pragma page_count');
    } catch {
      return 0;
    }
  }

  /**
   * Moves the log into the open file, wherever that is now, so that the file is complete without its log and the log
   * cannot end up in another file at its path. Not if another program wrote to the log: that may have been meant for
   * the other file.
   */
  #saveLog(): void {
    if (this.#isSaved) return;
    try {
      if (this.#readVersion() !== this.#version) return;
      const connection = this.#connection;
      this.#isSaved = waitingAtMost(connection, 0, () => connection.value('pragma wal_checkpoint(truncate)') === 0);
    } catch {
      // For example, the disk is full: retried in a second, and as long as a reader needs the log.
    }
  }

  #noteVersion(): void {
    this.#version = this.#readVersion();
  }

  /** Changes when another connection has committed. */
  #readVersion(): unknown {
    try {
      return this.#connection.value('pragma data_version');
    } catch {
      return undefined;
    }
  }

  /** While another process writes for long (a scrub, a restore), requests fail fast instead of five seconds each. */
  #waitLessWhileBusy(results: readonly ActResult[]): void {
    const isBusy = results.some((result) => 'failed' in result && result.busy === true);
    if (isBusy === this.#isBusy) return;
    this.#isBusy = isBusy;
    setBusyTimeout(this.#connection, isBusy ? SHORT_BUSY_MS : undefined);
  }
}
