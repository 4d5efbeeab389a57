import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { messageOf } from '../../caught.ts';

import { StorageUnavailable } from '../port.ts';
import { RecentFailure } from '../problems.ts';
import type { ActName, Acts, BatchMessage, BatchResult, CloseCommand, OpenCommand, WriterReady } from './batch.ts';
import { type DamageReport, damaged, NO_DAMAGE } from './errors.ts';
import { describeMismatch, FileWatch, OpenFile } from './open-file.ts';
import { startWriterThread } from './start-writer.ts';

/** Large enough to share a flush widely, small enough that no response waits long for the others. */
const MAX_BATCH = 512;
/** Beyond this many waiting acts the disk cannot keep up: failing fast beats responding too late. */
const MAX_WAITING = 20_000;
/** A thread that died is replaced after this time; until then writes are unavailable. */
const RESTART_MS = 500;

type Waiting = {
  act: BatchMessage['acts'][number];
  resolve(outcome: unknown): void;
  reject(error: Error): void;
};

type WriterOptions = Pick<OpenCommand, 'link' | 'busyMs'>;

/** The HTTP thread's side: one batch is with the writer thread, everything that arrives meanwhile becomes the next. */
export class Writer {
  readonly #path: string;
  readonly #link: string | undefined;
  readonly #busyMs: number | undefined;
  #worker: Worker | undefined;
  #failure = 'The writer thread has not started.';
  #closing = false;
  #waiting: Waiting[] = [];
  #inFlight: Waiting[] = [];
  #scheduled = false;
  #idle: (() => void) | undefined;
  committedActs = 0;
  committedBatches = 0;
  readonly failedWrite = new RecentFailure();
  /** Another process holds the write lock. */
  readonly lockedOut = new RecentFailure();
  damage: DamageReport = NO_DAMAGE;
  #watch: FileWatch | undefined;
  #file: OpenFile | undefined;

  private constructor(path: string, { link, busyMs }: WriterOptions) {
    this.#path = path;
    this.#link = link;
    this.#busyMs = busyMs;
  }

  /** Followed in the same turn by `open` or `terminate`: meanwhile the thread loads its code. */
  static start(path: string, options: WriterOptions = {}): { open(): Promise<Writer>; terminate(): Promise<unknown> } {
    const writer = new Writer(path, options);
    const worker = startWriterThread();
    return {
      async open() {
        await writer.#open(worker);
        return writer;
      },
      terminate: () => worker.terminate(),
    };
  }

  /** For the files that the first thread opened. */
  get watch(): FileWatch {
    if (!this.#watch) throw new Error('The writer is not open.');
    return this.#watch;
  }

  get waiting(): number {
    return this.#waiting.length + this.#inFlight.length;
  }

  /** Throws StorageUnavailable while there is no thread to write, or no file to write to. */
  check(): void {
    this.watch.check();
    if (!this.#worker) throw new StorageUnavailable(this.#failure);
  }

  run<Name extends ActName>(name: Name, ...args: Parameters<Acts[Name]>): Promise<Awaited<ReturnType<Acts[Name]>>> {
    // Writing to a damaged file can cause more damage, and acknowledged data could be lost with it.
    const { finding } = this.damage;
    if (finding !== undefined && name !== 'recordFileCheck') return Promise.reject(damaged(this.#path, finding));
    try {
      this.check();
    } catch (error) {
      return Promise.reject(error);
    }
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new StorageUnavailable('Too many writes are waiting.'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ act: [name, args], resolve: resolve, reject });
      if (this.#scheduled || this.#inFlight.length > 0) return;
      // After the current turn of the event loop, so that requests read from many sockets in it share a batch.
      this.#scheduled = true;
      setImmediate(() => this.#send());
    });
  }

  async close(): Promise<void> {
    if (this.waiting > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    this.#closing = true;
    this.#watch?.close();
    const worker = this.#worker;
    if (!worker) return;
    worker.ref();
    const exited = once(worker, 'exit');
    worker.postMessage('close' satisfies CloseCommand);
    await exited;
  }

  async #startAgain(): Promise<void> {
    // A new thread opens the file at the path, which must be the same one as before.
    const mismatch = this.#file?.mismatch();
    if (mismatch) throw new StorageUnavailable(describeMismatch(this.#file as OpenFile, mismatch));
    await this.#open(startWriterThread());
  }

  async #open(worker: Worker): Promise<void> {
    worker.postMessage({
      ...{ path: this.#path, link: this.#link, busyMs: this.#busyMs },
      identity: this.#file?.identity,
    } satisfies OpenCommand);
    const [{ identity }] = (await once(worker, 'message')) as [WriterReady];
    this.#file ??= new OpenFile(this.#path, { identity, link: this.#link });
    this.#watch ??= new FileWatch(this.#file);
    worker.on('message', (result: BatchResult) => this.#settle(result));
    worker.on('error', (error) => this.#fail(messageOf(error)));
    worker.on('exit', () => this.#fail('The writer thread has ended.'));
    worker.unref();
    this.#worker = worker;
  }

  #send(): void {
    this.#scheduled = false;
    const worker = this.#worker;
    if (!worker || this.#waiting.length === 0) return;
    worker.ref();
    this.#inFlight = this.#waiting.splice(0, MAX_BATCH);
    worker.postMessage({ acts: this.#inFlight.map((waiting) => waiting.act) } satisfies BatchMessage);
  }

  #settle({ results }: BatchResult): void {
    const settled = this.#inFlight;
    this.#inFlight = [];
    this.#send();
    if (this.#inFlight.length === 0) this.#worker?.unref();
    let committed = 0;
    settled.forEach((waiting, index) => {
      const result = results[index];
      if (result && 'outcome' in result) {
        committed++;
        waiting.resolve(result.outcome);
      } else if (result?.failed === 'unavailable') {
        if (result.unwritable) this.failedWrite.note();
        if (result.busy) this.lockedOut.note();
        if (result.damaged) this.damage.note(result.message, result.overwritten);
        waiting.reject(result.damaged ? damaged(this.#path, result.message) : new StorageUnavailable(result.message));
        if (result.mismatched && !this.watch.isMismatched) this.watch.look();
      } else waiting.reject(new Error(result?.message ?? 'The writer thread lost an act.'));
    });
    this.committedActs += committed;
    if (committed > 0) {
      this.committedBatches++;
      this.lockedOut.clear();
    }
    if (this.waiting === 0) this.#idle?.();
  }

  /** Waiting callers get the error; a new thread takes over as soon as it can start. */
  #fail(reason: string): void {
    if (!this.#worker) return;
    this.#worker = undefined;
    this.#failure = reason;
    const lost = [...this.#inFlight, ...this.#waiting];
    this.#inFlight = [];
    this.#waiting = [];
    for (const waiting of lost) waiting.reject(new StorageUnavailable(reason));
    this.#idle?.();
    this.#restart();
  }

  #restart(): void {
    setTimeout(() => {
      if (this.#closing) return;
      this.#startAgain().catch((error: Error) => {
        this.#failure = error.message;
        this.#restart();
      });
    }, RESTART_MS).unref();
  }
}
