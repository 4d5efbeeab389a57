import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { isSea } from 'node:sea';
import type { Registry } from 'prom-client';
import type { Config } from './config.ts';
import { InnkeeperError } from './domain/errors.ts';
import { createLogger } from './monitoring/logging.ts';
import { storageDriver } from './storage/open.ts';
import { watchWorkers } from './worker-watch.ts';

const RESTART_MS = 1_000;
const GATHER_MS = 1_000;
/** How long a worker waits for the parent: scrapers wait for ten seconds. */
const METRICS_MS = 5_000;
/** The shutdown is forced after this time: container runtimes kill after ten seconds. */
export const SHUTDOWN_MS = 9_500;
/** For a worker that had stopped responding: it is not serving anyone. */
const SILENT_END_MS = 1_000;

/** The parent process for INNKEEPER_WORKERS: starts the workers, replaces those that die, and passes signals on. */
export async function runWorkers(config: Config): Promise<number> {
  const logger = createLogger(config.logLevel);
  await (await storageDriver(config.databaseUrl)).migrate();

  const alive = new Set<Worker>();
  const listening = new Set<Worker>();
  const restarts = new Set<NodeJS.Timeout>();
  const over = Promise.withResolvers<void>();
  let started = false;
  let ending = false;
  let failed = false;

  const start = (): void => {
    alive.add(cluster.fork());
  };
  const startAgain = (): void => {
    const timer = setTimeout(() => {
      restarts.delete(timer);
      start();
    }, RESTART_MS);
    restarts.add(timer);
  };
  const end = (): void => {
    // A second signal means: do not wait.
    const signal = ending ? 'SIGKILL' : 'SIGTERM';
    if (!ending) logger.info({ workers: alive.size }, 'shutting down');
    ending = true;
    for (const timer of restarts) clearTimeout(timer);
    for (const worker of alive) {
      worker.process.kill(signal);
      setTimeout(() => killLate(worker), watch.isSilent(worker) ? SILENT_END_MS : SHUTDOWN_MS).unref();
    }
    if (alive.size === 0) over.resolve();
  };
  const killLate = (worker: Worker): void => {
    if (!alive.has(worker)) return;
    logger.error({ worker: worker.process.pid }, 'a worker did not end in time and was killed');
    worker.process.kill('SIGKILL');
  };

  // A single-file executable has no script to run: workers get its own arguments.
  const [, , command, ...args] = process.argv;
  if (isSea() && command !== undefined) cluster.setupPrimary({ exec: command, args, execArgv: [] });
  respondWithMetrics(listening);
  const watch = watchWorkers(listening, logger);
  cluster.on('message', (worker, message: Partial<typeof LISTENING>) => {
    if (!message.isListening) return;
    listening.add(worker);
    if (started || ending) return;
    // Start the others once the first is up: a problem at startup would affect all of them and is now reported once.
    started = true;
    for (let index = 1; index < config.workers; index++) start();
  });
  cluster.on('exit', (worker, code, signal) => {
    alive.delete(worker);
    listening.delete(worker);
    if (ending) {
      // A worker that was still starting has no signal handler yet, so SIGTERM is a normal exit.
      failed ||= code !== 0 && signal !== 'SIGTERM';
      if (alive.size === 0) over.resolve();
    } else if (started) {
      // Also covers a worker that failed to start: the cause, such as an unreachable database, may be gone by the next
      // try.
      logger.error({ worker: worker.process.pid, exitCode: code, signal }, 'a worker has ended; starting another');
      startAgain();
    } else {
      // The first worker did not start, and has logged why.
      failed = true;
      over.resolve();
    }
  });
  if (sharesPort(config)) await refuseUsedPort(config);
  process.on('SIGTERM', end).on('SIGINT', end);
  start();
  await over.promise;
  return failed ? 1 : 0;
}

const LISTENING = { isListening: true };

/** A worker reports that it is serving: node reports it only for shared sockets. */
export function reportListening(): void {
  cluster.worker?.send(LISTENING);
}

/**
 * Whether each worker has its own listening socket on the same port. Node's default is to accept in the parent and hand
 * connections out, which drops those not yet handed out at shutdown. Other systems than Linux do not balance a shared
 * port, or do not support it.
 */
export function sharesPort({ workers, port }: Config): boolean {
  return workers > 1 && port !== 0 && process.platform === 'linux';
}

/**
 * Workers that share a port would start next to another service that shares it too; a plain listener detects that one.
 */
async function refuseUsedPort({ host, port }: Config): Promise<void> {
  const probe = createServer().listen({ host, port, backlog: 1 });
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}

/** /metrics reaches one worker. It asks the parent, which collects from all workers and adds up. */
type Message =
  | { metrics: 'wanted'; id: number }
  | { metrics: 'collect'; id: number }
  | { metrics: 'part'; id: number; part: Part }
  | { metrics: 'text'; id: number; text: string };

/** In prom-client's format for aggregation. */
type Part = object[];

function respondWithMetrics(workers: ReadonlySet<Worker>): void {
  type Collection = { parts: Map<Worker, Part>; missing: Set<Worker>; complete(): void };
  const collections = new Map<number, Collection>();
  let lastId = 0;
  /** Counters must never go backwards, so a worker that has exited or does not respond counts with its last figures. */
  const latest = new Map<Worker, Part>();
  let ended = Promise.resolve<Part>([]);

  const gather = async (): Promise<string> => {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<void>();
    const collection: Collection = { parts: new Map(), missing: new Set(workers), complete: resolve };
    collections.set(id, collection);
    for (const worker of workers) send(worker, { metrics: 'collect', id });
    // A worker that died or hangs has no new figures.
    const timer = setTimeout(resolve, GATHER_MS);
    await promise;
    clearTimeout(timer);
    collections.delete(id);
    const { AggregatorRegistry } = await import('prom-client');
    const missing = Array.from(collection.missing, (worker) => countersOf(latest.get(worker) ?? []));
    const before = await ended;
    // One that has responded and exited since is among `ended`.
    const parts = [...collection.parts].flatMap(([worker, part]) => (workers.has(worker) ? [part] : []));
    return AggregatorRegistry.aggregate([before, ...missing, ...parts]).metrics();
  };

  cluster.on('message', (worker, message: Message) => {
    if (message.metrics === 'wanted') {
      gather().then(
        (text) => send(worker, { metrics: 'text', id: message.id, text }),
        () => send(worker, { metrics: 'text', id: message.id, text: '' }),
      );
    } else if (message.metrics === 'part') {
      const collection = collections.get(message.id);
      if (!collection?.missing.delete(worker)) return;
      collection.parts.set(worker, message.part);
      latest.set(worker, message.part);
      if (collection.missing.size === 0) collection.complete();
    }
  });
  cluster.on('exit', (worker) => {
    const counters = countersOf(latest.get(worker) ?? []);
    latest.delete(worker);
    if (counters.length > 0) ended = ended.then((before) => addUp(before, counters));
  });
}

function countersOf(part: Part): Part {
  return part.filter((metric) => 'type' in metric && ['counter', 'histogram'].includes(String(metric.type)));
}

async function addUp(before: Part, counters: Part): Promise<Part> {
  const { AggregatorRegistry } = await import('prom-client');
  return AggregatorRegistry.aggregate([before, counters]).getMetricsAsJSON();
}

function send(worker: Worker, message: Message): void {
  // The callback swallows the error of a worker that has just died.
  if (worker.isConnected()) worker.send(message, () => {});
}

/** The text of /metrics for the whole service: this process alone, or the sum of all workers. */
export function metricsText(registry: () => Promise<Registry>): () => Promise<string> {
  if (!cluster.isWorker) return async () => (await registry()).metrics();
  const waiting = new Map<number, (text: string) => void>();
  let lastId = 0;
  const sendMessage = (message: Message): void => {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };

  process.on('message', (message: Message) => {
    if (message.metrics === 'collect') {
      registry()
        .then((own) => own.getMetricsAsJSON())
        .then(
          (part) => sendMessage({ metrics: 'part', id: message.id, part }),
          () => sendMessage({ metrics: 'part', id: message.id, part: [] }),
        );
    } else if (message.metrics === 'text') {
      waiting.get(message.id)?.(message.text);
    }
  });
  return async () => {
    const id = ++lastId;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    waiting.set(id, resolve);
    sendMessage({ metrics: 'wanted', id });
    // The figures of this worker alone would look like counters that went backwards.
    const message = 'The parent process, which adds up the metrics of all workers, does not respond.';
    const timer = setTimeout(() => reject(new InnkeeperError('unavailable', { message })), METRICS_MS);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(id);
    }
  };
}
