import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type ErrorName, type FieldError, InnkeeperError } from '../domain/errors.ts';
import type { TaskName, Work } from '../domain/work.ts';

export type TaskMessage = { name: TaskName; input: unknown };
export type TaskResult =
  | { outcome: unknown }
  | { refused: ErrorName; detail: { message: string; fields?: FieldError[]; more: Record<string, unknown> } }
  | { failed: unknown };

/** Several applications at a time, and never every core. */
const MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));
/** Of one application, beside the one at work. */
const MAX_WAITING = 4;
const IDLE_MS = 30_000;
/** A large catalog takes two seconds on a slow machine. */
const LIMIT_MS = 10_000;
const RETRY_AFTER = { 'retry-after': '5' };
/** What a catalog of the largest size takes, twice. */
const MAX_HEAP_MB = 1_024;

type Waiting = {
  message: TaskMessage;
  appId: number;
  resolve(outcome: unknown): void;
  reject(error: unknown): void;
};

/** Worker threads, started when they are needed and ended when they are not. */
export class WorkPool implements Work {
  readonly #limitMs: number;
  readonly #idle: { worker: Worker; end: NodeJS.Timeout }[] = [];
  readonly #running = new Map<Worker, Waiting & { limit: NodeJS.Timeout }>();
  readonly #waiting: Waiting[] = [];
  #lastServed: number | undefined;
  #closed = false;

  constructor(limitMs = LIMIT_MS) {
    this.#limitMs = limitMs;
  }

  run: Work['run'] = (name, input, { appId }) => {
    const { promise, resolve, reject } = Promise.withResolvers<never>();
    const ofApplication = this.#waiting.filter((each) => each.appId === appId);
    if (ofApplication.length >= MAX_WAITING || this.#closed) {
      const message = 'This application has too much large work waiting at the moment. Nothing was done.';
      return Promise.reject(new InnkeeperError('overloaded', { message, headers: RETRY_AFTER }));
    }
    this.#waiting.push({ message: { name, input }, appId, resolve: resolve as Waiting['resolve'], reject });
    this.#startNext();
    return promise;
  };

  async close(): Promise<void> {
    this.#closed = true;
    for (const { end } of this.#idle) clearTimeout(end);
    const workers = [...this.#idle.map(({ worker }) => worker), ...this.#running.keys()];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  /** First come, first served, but one of each application at a time, and in turn with the others. */
  #startNext(): void {
    while (this.#running.size < MAX_THREADS) {
      const busy = new Set([...this.#running.values()].map(({ appId }) => appId));
      const free = this.#waiting.filter(({ appId }) => !busy.has(appId));
      const task = free.find(({ appId }) => appId !== this.#lastServed) ?? free[0];
      if (!task) return;
      this.#waiting.splice(this.#waiting.indexOf(task), 1);
      this.#lastServed = task.appId;
      this.#start(task);
    }
  }

  #start(task: Waiting): void {
    const rested = this.#idle.pop();
    clearTimeout(rested?.end);
    const worker = rested?.worker ?? this.#makeWorker();
    const limit = setTimeout(() => this.#fail(worker, tooSlow(this.#limitMs)), this.#limitMs);
    this.#running.set(worker, { ...task, limit });
    worker.ref();
    worker.postMessage(task.message);
  }

  #makeWorker(): Worker {
    const worker = new Worker(new URL('./work-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.on('message', (result: TaskResult) => {
      const task = this.#take(worker);
      this.#rest(worker);
      if ('outcome' in result) task?.resolve(result.outcome);
      else if ('refused' in result) task?.reject(new InnkeeperError(result.refused, result.detail));
      else task?.reject(result.failed);
      this.#startNext();
    });
    // For instance out of memory.
    worker.on('error', (cause) =>
      this.#fail(worker, new InnkeeperError('overloaded', { cause, headers: RETRY_AFTER })),
    );
    worker.on('exit', () => this.#fail(worker, new InnkeeperError('overloaded', { headers: RETRY_AFTER })));
    return worker;
  }

  #fail(worker: Worker, error: InnkeeperError): void {
    const task = this.#take(worker);
    if (!task) return;
    void worker.terminate();
    task.reject(error);
    this.#startNext();
  }

  #take(worker: Worker): Waiting | undefined {
    const task = this.#running.get(worker);
    clearTimeout(task?.limit);
    this.#running.delete(worker);
    return task;
  }

  #rest(worker: Worker): void {
    worker.unref();
    const end = setTimeout(() => {
      this.#idle.splice(
        this.#idle.findIndex((each) => each.worker === worker),
        1,
      );
      void worker.terminate();
    }, IDLE_MS);
    end.unref();
    this.#idle.push({ worker, end });
  }
}

function tooSlow(limitMs: number): InnkeeperError {
  const message = `This took longer than ${limitMs / 1000} seconds and was stopped. Nothing was changed. Send less at once.`;
  return new InnkeeperError('overloaded', { message, headers: RETRY_AFTER });
}
