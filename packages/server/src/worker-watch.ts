import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { Problem } from './storage/port.ts';

const EVERY_MS = 1_000;
/** A worker that has not responded for this long hangs: it was stopped, or its event loop is blocked. */
const SILENT_MS = 5_000;

type Message = { watch: 'ping' } | { watch: 'pong' } | { watch: 'silent'; pids: number[] };

/** In the parent: pings every worker once a second, logs those that do not respond, and reports them to the others. */
export function watchWorkers(workers: ReadonlySet<Worker>, logger: Logger): { isSilent(worker: Worker): boolean } {
  /** When the oldest unanswered ping was sent, by worker. */
  const pingedAt = new Map<Worker, number>();
  const silent = new Set<Worker>();
  let lookedAt = performance.now();

  cluster.on('message', (worker, message: Message) => {
    if (message.watch !== 'pong') return;
    pingedAt.delete(worker);
    if (silent.delete(worker)) logger.info({ worker: worker.process.pid }, 'a worker responds again');
  });
  cluster.on('exit', (worker) => {
    pingedAt.delete(worker);
    silent.delete(worker);
  });
  setInterval(() => {
    const now = performance.now();
    // If this process itself was stopped or busy, it has missed the responses.
    if (now - lookedAt > SILENT_MS / 2) pingedAt.clear();
    lookedAt = now;
    for (const worker of workers) {
      const since = pingedAt.get(worker);
      if (since === undefined) {
        pingedAt.set(worker, now);
        send(worker, { watch: 'ping' });
      } else if (now - since > SILENT_MS && !silent.has(worker)) {
        silent.add(worker);
        logger.error({ worker: worker.process.pid }, 'a worker does not respond; its requests hang');
      }
    }
    const pids = [...silent].map((worker) => Number(worker.process.pid));
    for (const worker of workers) if (!silent.has(worker)) send(worker, { watch: 'silent', pids });
  }, EVERY_MS).unref();
  return { isSilent: (worker) => silent.has(worker) };
}

function send(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

let silentPids: number[] = [];

/** Runs in a worker. */
export function respondToPings(): void {
  if (!cluster.isWorker) return;
  process.on('message', (message: Message) => {
    if (message.watch === 'ping' && process.connected) {
      process.send?.({ watch: 'pong' } satisfies Message, undefined, undefined, () => {});
    } else if (message.watch === 'silent') silentPids = message.pids;
  });
}

/** The parent's report about the other workers. */
export function workerProblems(): Problem[] {
  if (silentPids.length === 0) return [];
  const one = silentPids.length === 1;
  const message = `${one ? 'Worker' : 'Workers'} ${silentPids.join(', ')} ${one ? 'does' : 'do'} not respond, so some requests hang. If ${one ? 'it was' : 'they were'} stopped (SIGSTOP), continue ${one ? 'it' : 'them'} with \`kill -CONT\`; otherwise end ${one ? 'it' : 'them'} with \`kill -KILL\`, and another is started.`;
  return [{ kind: 'worker', message, effect: 'none' }];
}
