import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type ErrorName, type FieldError, InnkeeperError } from '../domain/errors.ts';
import type { TaskName, Tasks, Work } from '../domain/work.ts';

export type TaskMessage = { name: TaskName; input: unknown };
export type TaskResult =
  | { outcome: unknown }
  | { refused: ErrorName; detail: { message: string; fields?: FieldError[]; more: Record<string, unknown> } }
  | { failed: unknown };

/** Several applications at a time, but never every core. */
const MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));
/**
 * Queued per application, besides the running one: as many small tasks as a build server starts at once, or a few large
 * ones.
 */
const MAX_WAITING = 32;
const MAX_WAITING_BYTES = 64 * 1024 ** 2;
const IDLE_MS = 30_000;
/** Limit of processor time: a large catalog takes two seconds, however busy the machine is. */
const LIMIT_MS = 10_000;
/** The time limit on the clock is this many times as long, for busy machines. */
const CLOCK_FACTOR = 6;
const LOOK_MS = 500;
const RETRY_AFTER = { 'retry-after': '5' };
/** Twice what the largest catalog takes. */
const MAX_HEAP_MB = 1_024;

type Waiting = {
  message: TaskMessage;
  bytes: number;
  appId: number;
  resolve(outcome: unknown): void;
  reject(error: unknown): void;
};

/** Worker threads, started on demand and ended when idle. */
export class WorkPool implements Work {
  readonly #limitMs: number;
  readonly #idle: { worker: Worker; end: NodeJS.Timeout }[] = [];
  readonly #running = new Map<Worker, Waiting & { watch: NodeJS.Timeout }>();
  readonly #waiting: Waiting[] = [];
  #lastServed: number | undefined;
  #closed = false;

  constructor(limitMs = LIMIT_MS) {
    this.#limitMs = limitMs;
  }

  run: Work['run'] = (name, input, { appId }) => {
    const { promise, resolve, reject } = Promise.withResolvers<never>();
    const bytes = bytesOf(input);
    if (this.#closed || !this.#hasRoom(appId, bytes)) {
      const message =
        'Too many plans, imports and other large requests of this application are waiting. Nothing was changed. Send this one again in a few seconds.';
      return Promise.reject(new InnkeeperError('overloaded', { message, headers: RETRY_AFTER }));
    }
    this.#waiting.push({ message: { name, input }, bytes, appId, resolve: resolve, reject });
    this.#startNext();
    return promise;
  };

  #hasRoom(appId: number, bytes: number): boolean {
    const waiting = this.#waiting.filter((each) => each.appId === appId);
    const together = waiting.reduce((sum, each) => sum + each.bytes, bytes);
    return waiting.length === 0 || (waiting.length < MAX_WAITING && together <= MAX_WAITING_BYTES);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0))
      reject(new InnkeeperError('overloaded', { headers: RETRY_AFTER }));
    for (const { end } of this.#idle) clearTimeout(end);
    const workers = [...this.#idle.map(({ worker }) => worker), ...this.#running.keys()];
    await Promise.all(workers.map((worker) => worker.terminate()));
  }

  /** First come, first served, but one task per application at a time, in turn with the others. */
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
    const watch = this.#watch(worker);
    this.#running.set(worker, { ...task, watch });
    worker.ref();
    worker.postMessage(task.message);
  }

  #watch(worker: Worker): NodeJS.Timeout {
    const started = performance.now();
    const before = processorMs(worker);
    const look = async () => {
      const worked = (await processorMs(worker)) - (await before);
      const waited = performance.now() - started;
      const isOver = worked > this.#limitMs || waited > this.#limitMs * CLOCK_FACTOR;
      // The thread may run another task by now.
      if (isOver && this.#running.get(worker)?.watch === watch) this.#fail(worker, tooSlow(this.#limitMs));
    };
    const watch = setInterval(() => void look(), Math.min(LOOK_MS, this.#limitMs));
    return watch;
  }

  #makeWorker(): Worker {
    const worker = new Worker(new URL('./work-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.on('message', (result: TaskResult) => {
      const task = this.#take(worker);
      // It was too slow, and its thread is being ended.
      if (!task) return;
      this.#rest(worker);
      if ('outcome' in result) task.resolve(result.outcome);
      else if ('refused' in result) task.reject(new InnkeeperError(result.refused, result.detail));
      else task.reject(result.failed);
      this.#startNext();
    });
    // For example, out of memory.
    worker.on('error', (cause) =>
      this.#fail(worker, new InnkeeperError('overloaded', { cause, headers: RETRY_AFTER })),
    );
    worker.on('exit', () => this.#fail(worker, new InnkeeperError('overloaded', { headers: RETRY_AFTER })));
    return worker;
  }

  #fail(worker: Worker, error: InnkeeperError): void {
    this.#dropIdle(worker);
    const task = this.#take(worker);
    if (!task) return;
    void worker.terminate();
    task.reject(error);
    this.#startNext();
  }

  #take(worker: Worker): Waiting | undefined {
    const task = this.#running.get(worker);
    clearInterval(task?.watch);
    this.#running.delete(worker);
    return task;
  }

  #rest(worker: Worker): void {
    worker.unref();
    const end = setTimeout(() => {
      this.#dropIdle(worker);
      void worker.terminate();
    }, IDLE_MS);
    end.unref();
    this.#idle.push({ worker, end });
  }

  /** It gets no more tasks. */
  #dropIdle(worker: Worker): void {
    const at = this.#idle.findIndex((each) => each.worker === worker);
    if (at === -1) return;
    clearTimeout(this.#idle[at]?.end);
    this.#idle.splice(at, 1);
  }
}

/** Memory held while it waits; the rest of an input is small. */
function bytesOf(input: unknown): number {
  const { body, entries, catalog } = input as Partial<Parameters<Tasks['previewTexts']>[0]> & { body?: Uint8Array };
  const texts = [...(entries?.pieces ?? []), ...(catalog?.items ?? []).map(({ document }) => document)];
  return texts.reduce((sum, text) => sum + text.length, body?.byteLength ?? 0);
}

/** 0 before the thread has started and after it has ended. */
async function processorMs(worker: Worker): Promise<number> {
  const { user, system } = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (user + system) / 1000;
}

function tooSlow(limitMs: number): InnkeeperError {
  const message = `This took longer than ${limitMs / 1000} seconds and was stopped. Nothing was changed. Send a smaller request.`;
  return new InnkeeperError('overloaded', { message, headers: RETRY_AFTER });
}
