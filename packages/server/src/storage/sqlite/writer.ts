import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import { StorageUnavailable } from '../port.ts';
import { RecentFailure } from '../recent-failure.ts';
import type { ActName, Acts } from './acts.ts';
import type { BatchMessage, BatchResult, WriterData } from './batch.ts';

/** Enough for one flush to be shared widely, small enough that no answer waits long for its neighbours. */
const MAX_BATCH = 512;
/** Beyond this many waiting acts the disk cannot keep up: refusing at once beats answering too late. */
const MAX_WAITING = 20_000;
/** A thread that died is replaced after this time; until then writes are unavailable. */
const RESTART_MS = 500;

type Waiting = {
  act: BatchMessage['acts'][number];
  resolve(outcome: unknown): void;
  reject(error: Error): void;
};

/** The HTTP thread's side: one batch is with the writer thread, everything that arrives meanwhile becomes the next. */
export class Writer {
  readonly #path: string;
  #worker: Worker | undefined;
  #failure = 'The writer thread has not started.';
  #closing = false;
  #waiting: Waiting[] = [];
  #underWay: Waiting[] = [];
  #scheduled = false;
  #idle: (() => void) | undefined;
  committedActs = 0;
  committedBatches = 0;
  readonly failedWrite = new RecentFailure();

  private constructor(path: string) {
    this.#path = path;
  }

  static async open(path: string): Promise<Writer> {
    const writer = new Writer(path);
    await writer.#start();
    return writer;
  }

  get waiting(): number {
    return this.#waiting.length + this.#underWay.length;
  }

  /** Throws StorageUnavailable while there is no thread to write. */
  check(): void {
    if (!this.#worker) throw new StorageUnavailable(this.#failure);
  }

  run<Name extends ActName>(name: Name, ...args: Parameters<Acts[Name]>): Promise<Awaited<ReturnType<Acts[Name]>>> {
    if (!this.#worker) return Promise.reject(new StorageUnavailable(this.#failure));
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.reject(new StorageUnavailable('Too many writes are waiting.'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ act: [name, args], resolve: resolve as (outcome: unknown) => void, reject });
      if (this.#scheduled || this.#underWay.length > 0) return;
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
    const worker = this.#worker;
    if (!worker) return;
    worker.ref();
    const exited = once(worker, 'exit');
    worker.postMessage('close');
    await exited;
  }

  async #start(): Promise<void> {
    const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), {
      workerData: { path: this.#path } satisfies WriterData,
      // Else its file would be closed with it: see blank-gaps.ts.
      trackUnmanagedFds: false,
    });
    await once(worker, 'message');
    worker.on('message', (result: BatchResult) => this.#settle(result));
    worker.on('error', (error) => this.#fail((error as Error).message));
    worker.on('exit', () => this.#fail('The writer thread has ended.'));
    worker.unref();
    this.#worker = worker;
  }

  #send(): void {
    this.#scheduled = false;
    const worker = this.#worker;
    if (!worker || this.#waiting.length === 0) return;
    worker.ref();
    this.#underWay = this.#waiting.splice(0, MAX_BATCH);
    worker.postMessage({ acts: this.#underWay.map((waiting) => waiting.act) } satisfies BatchMessage);
  }

  #settle({ results }: BatchResult): void {
    const settled = this.#underWay;
    this.#underWay = [];
    this.#send();
    if (this.#underWay.length === 0) this.#worker?.unref();
    let committed = 0;
    settled.forEach((waiting, index) => {
      const result = results[index];
      if (result && 'outcome' in result) {
        committed++;
        waiting.resolve(result.outcome);
      } else if (result?.failed === 'unavailable') {
        if (result.unwritable) this.failedWrite.note();
        waiting.reject(new StorageUnavailable(result.message));
      } else waiting.reject(new Error(result?.message ?? 'The writer thread lost an act.'));
    });
    this.committedActs += committed;
    if (committed > 0) this.committedBatches++;
    if (this.waiting === 0) this.#idle?.();
  }

  /** Whoever waits is told; a new thread takes over as soon as one can be had. */
  #fail(reason: string): void {
    if (!this.#worker) return;
    this.#worker = undefined;
    this.#failure = reason;
    const lost = [...this.#underWay, ...this.#waiting];
    this.#underWay = [];
    this.#waiting = [];
    for (const waiting of lost) waiting.reject(new StorageUnavailable(reason));
    this.#idle?.();
    this.#restart();
  }

  #restart(): void {
    if (this.#closing) return;
    setTimeout(() => {
      this.#start().catch((error: Error) => {
        this.#failure = error.message;
        this.#restart();
      });
    }, RESTART_MS).unref();
  }
}
