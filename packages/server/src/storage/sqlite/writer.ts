import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { StorageUnavailable } from '../port.ts';
import type { ActName, Acts } from './acts.ts';
import type { BatchMessage, BatchResult } from './writer-thread.ts';

/** Enough for one flush to be shared widely, small enough that no answer waits long for its neighbours. */
const MAX_BATCH = 512;
/** Beyond this many waiting acts the disk cannot keep up: refusing at once beats answering too late. */
const MAX_WAITING = 20_000;

type Waiting = {
  act: BatchMessage['acts'][number];
  resolve(outcome: unknown): void;
  reject(error: Error): void;
};

/** The HTTP thread's side: one batch is with the writer thread, everything that arrives meanwhile becomes the next. */
export class Writer {
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  #waiting: Waiting[] = [];
  #underWay: Waiting[] = [];
  #scheduled = false;
  #failure: Error | undefined;
  #idle: (() => void) | undefined;
  committedActs = 0;
  committedBatches = 0;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#exited = once(worker, 'exit');
    worker.on('message', (result: BatchResult) => this.#settle(result));
    worker.on('error', (error) => this.#fail(error as Error));
    worker.on('exit', () => this.#fail(new Error('The writer thread has ended.')));
    worker.unref();
  }

  static async open(path: string): Promise<Writer> {
    const worker = new Worker(new URL('./writer-thread.ts', import.meta.url), { workerData: { path } });
    await once(worker, 'message');
    return new Writer(worker);
  }

  get waiting(): number {
    return this.#waiting.length + this.#underWay.length;
  }

  run<Name extends ActName>(name: Name, ...args: Parameters<Acts[Name]>): Promise<ReturnType<Acts[Name]>> {
    if (this.#failure) return Promise.reject(new StorageUnavailable(this.#failure.message));
    if (this.#waiting.length >= MAX_WAITING)
      return Promise.reject(new StorageUnavailable('Too many writes are waiting.'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ act: [name, args], resolve: resolve as (outcome: unknown) => void, reject });
      if (this.#scheduled || this.#underWay.length > 0) return;
      // After the current turn of the event loop, so that requests read from many sockets in it share a batch.
      this.#scheduled = true;
      setImmediate(() => this.#send());
    });
  }

  async close(): Promise<void> {
    if (this.waiting > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    this.#worker.ref();
    this.#worker.postMessage('close');
    await this.#exited;
  }

  #send(): void {
    this.#scheduled = false;
    if (this.#waiting.length === 0) return;
    this.#worker.ref();
    this.#underWay = this.#waiting.splice(0, MAX_BATCH);
    this.#worker.postMessage({ acts: this.#underWay.map((waiting) => waiting.act) } satisfies BatchMessage);
  }

  #settle({ results }: BatchResult): void {
    const settled = this.#underWay;
    this.#underWay = [];
    this.committedBatches++;
    this.committedActs += settled.length;
    this.#send();
    if (this.#underWay.length === 0) this.#worker.unref();
    settled.forEach((waiting, index) => {
      const result = results[index];
      if (result && 'outcome' in result) waiting.resolve(result.outcome);
      else if (result?.failed === 'unavailable') waiting.reject(new StorageUnavailable(result.message));
      else waiting.reject(new Error(result?.message ?? 'The writer thread lost an act.'));
    });
    if (this.waiting === 0) this.#idle?.();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    const lost = [...this.#underWay, ...this.#waiting];
    this.#underWay = [];
    this.#waiting = [];
    for (const waiting of lost) waiting.reject(new StorageUnavailable(error.message));
    this.#idle?.();
  }
}
