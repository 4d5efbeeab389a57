import { Worker } from 'node:worker_threads';
import type { Problem } from '../port.ts';
import { RESTORE_STEPS } from '../problems.ts';
import type { DamageReport } from './errors.ts';
import type { FileCheck } from './file-check.ts';

export type WatchTimes = {
  /** How often to look at the facts: what other processes found, and whether a check is due. */
  lookMs: number;
  /** How often the whole file is checked, by one process for all. */
  checkEveryMs: number;
  /** After damage: delay of the first check, doubled each time up to the maximum. */
  recheckMs: number;
  maxRecheckMs: number;
};

const TIMES: WatchTimes = {
  lookMs: 60_000,
  checkEveryMs: 7 * 86_400_000,
  recheckMs: 5_000,
  maxRecheckMs: 3_600_000,
};

/** The facts about checks, shared by all processes on the file. */
export type CheckRecords = {
  last(): Promise<FileCheck | undefined>;
  /** True for the one process that should check now. */
  claim(now: number, everyMs: number): Promise<boolean>;
  record(check: FileCheck): Promise<void>;
};

/**
 * Remembers damage that a connection of this process met or a check found, until a check finds the file clean. A minute
 * without errors proves nothing: damaged pages may not have been read.
 */
export class DamageWatch implements DamageReport {
  readonly #path: string;
  readonly #records: CheckRecords;
  readonly #times: WatchTimes;
  #finding: string | undefined;
  #isPermanent = false;
  #foundAt = 0;
  #seenAt = 0;
  #recheckMs: number;
  #recheck: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  #isClosed = false;

  constructor(path: string, records: CheckRecords, times: Partial<WatchTimes> = {}) {
    this.#path = path;
    this.#records = records;
    this.#times = { ...TIMES, ...times };
    this.#recheckMs = this.#times.recheckMs;
  }

  /** Also restores what was found before a restart. */
  async start(): Promise<void> {
    await this.#adopt();
    this.#look = setInterval(() => void this.#lookAround(), this.#times.lookMs).unref();
  }

  /** What is wrong with the file; undefined if nothing is known to be. */
  get finding(): string | undefined {
    return this.#finding;
  }

  /** Records damage, with SQLite's message. `isPermanent`: until the service is restarted, even if a check is clean. */
  note(reason: string, isPermanent = false): void {
    this.#foundAt = Date.now();
    this.#isPermanent ||= isPermanent;
    if (this.#finding !== undefined) return;
    this.#finding = reason;
    this.#checkLater();
  }

  /** Another program may have written into the file: it is checked now, and served until damage is found. */
  suspect(): void {
    this.#check();
  }

  problems(): Problem[] {
    if (this.#finding === undefined) return [];
    const message = `The database file ${this.#path} is damaged: ${this.#finding}. Responses may be wrong or incomplete. ${RESTORE_STEPS}`;
    return [{ kind: 'corruption', message, effect: 'down' }];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#look);
    clearTimeout(this.#recheck);
    await this.#worker?.terminate();
  }

  async #lookAround(): Promise<void> {
    await this.#adopt();
    if (this.#worker || this.#recheck || this.#isClosed) return;
    const isDue = await this.#records.claim(Date.now(), this.#times.checkEveryMs).catch(() => false);
    if (isDue) this.#check();
  }

  /** What another process found, or this one before a restart. */
  async #adopt(): Promise<void> {
    // A file that cannot be read is noted by the read itself.
    const last = await this.#records.last().catch(() => undefined);
    if (this.#isClosed || last?.finishedAt === undefined || last.finishedAt === this.#seenAt) return;
    this.#seenAt = last.finishedAt;
    if (last.findings[0] !== undefined) this.note(last.findings[0]);
    else if (last.startedAt > this.#foundAt) this.#clear();
  }

  #checkLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#recheck);
    this.#recheck = setTimeout(() => {
      this.#recheck = undefined;
      this.#check();
    }, this.#recheckMs).unref();
    this.#recheckMs = Math.min(2 * this.#recheckMs, this.#times.maxRecheckMs);
  }

  #check(): void {
    if (this.#worker || this.#isClosed) return;
    const startedAt = Date.now();
    const worker = new Worker(new URL('./check-thread.ts', import.meta.url), { workerData: { path: this.#path } });
    this.#worker = worker;
    let findings: string[] | undefined;
    worker.on('message', (found: string[]) => {
      findings = found;
    });
    // A check that fails for another reason, such as a lock, says nothing about the file.
    worker.on('error', () => {});
    worker.on('exit', () => {
      this.#worker = undefined;
      if (!this.#isClosed) this.#conclude(startedAt, findings);
    });
    worker.unref();
  }

  #conclude(startedAt: number, findings: string[] | undefined): void {
    if (findings?.[0] !== undefined) {
      this.#finding = findings[0];
      this.#foundAt = Date.now();
    } else if (findings && this.#foundAt < startedAt) this.#clear();
    if (this.#finding !== undefined) this.#checkLater();
    if (!findings) return;
    const finishedAt = Date.now();
    this.#seenAt = finishedAt;
    // If even this cannot be written, the other processes find the damage themselves.
    this.#records.record({ startedAt, finishedAt, findings }).catch(() => {});
  }

  #clear(): void {
    if (this.#finding === undefined || this.#isPermanent) return;
    this.#finding = undefined;
    clearTimeout(this.#recheck);
    this.#recheck = undefined;
    this.#recheckMs = this.#times.recheckMs;
  }
}
