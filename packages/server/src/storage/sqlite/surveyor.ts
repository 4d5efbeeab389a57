import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../caught.ts';
import { StorageUnavailable } from '../port.ts';
import { type DamageReport, damaged, NO_DAMAGE } from './errors.ts';
import type { SurveyMessage, SurveyReads, SurveyResult } from './surveys.ts';

type Waiting = { resolve(outcome: unknown): void; reject(error: Error): void };

/**
 * The HTTP thread's side of the survey thread, which is started on first use. That thread gets the next survey only when
 * this one has taken in the last result, in another turn of the event loop: a result may have thousands of rows.
 */
export class Surveyor {
  readonly #path: string;
  readonly #checkFile: () => void;
  #worker: Worker | undefined;
  #nextId = 1;
  readonly #waiting = new Map<number, Waiting>();
  #unsent: SurveyMessage[] = [];
  damage: DamageReport = NO_DAMAGE;

  constructor(path: string, checkFile: () => void) {
    this.#path = path;
    this.#checkFile = checkFile;
  }

  run<Name extends keyof SurveyReads>(
    name: Name,
    ...args: Parameters<SurveyReads[Name]>
  ): Promise<Awaited<ReturnType<SurveyReads[Name]>>> {
    try {
      this.#checkFile();
    } catch (error) {
      return Promise.reject(error);
    }
    this.#worker ??= this.#start();
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve: resolve, reject });
      worker.ref();
      const message = { id, name, args } satisfies SurveyMessage;
      if (this.#waiting.size === 1) worker.postMessage(message);
      else this.#unsent.push(message);
    });
  }

  #sendNext(): void {
    const next = this.#unsent.shift();
    if (next) this.#worker?.postMessage(next);
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    worker.ref();
    const exited = once(worker, 'exit');
    while (this.#unsent.length > 0) this.#sendNext();
    worker.postMessage('close');
    await exited;
  }

  #start(): Worker {
    const worker = new Worker(new URL('./survey-thread.ts', import.meta.url), { workerData: { path: this.#path } });
    worker.on('message', (result: SurveyResult) => this.#settle(worker, result));
    worker.on('error', (error) => this.#fail(worker, messageOf(error)));
    worker.on('exit', () => this.#fail(worker, 'The surveying thread has ended.'));
    worker.unref();
    return worker;
  }

  #settle(worker: Worker, result: SurveyResult): void {
    const waiting = this.#waiting.get(result.id);
    this.#waiting.delete(result.id);
    if (this.#waiting.size === 0) worker.unref();
    else setImmediate(() => this.#sendNext());
    if ('outcome' in result) waiting?.resolve(result.outcome);
    else if (result.damaged) {
      this.damage.note(result.failed);
      waiting?.reject(damaged(this.#path, result.failed));
    } else waiting?.reject(new StorageUnavailable(result.failed));
  }

  /** Waiting callers get the error; the next survey starts a new thread. */
  #fail(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(new StorageUnavailable(reason));
    this.#waiting.clear();
    this.#unsent = [];
  }
}
