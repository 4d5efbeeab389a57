import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { TelemetryConfig } from '../config.ts';
import type { Service } from '../domain/service.ts';
import type { Tracer } from '../domain/tracing.ts';
import type { CountedDurations, RequestCounts } from './request-counts.ts';
import { conventionalMethod, createTracer, type EndedSpan } from './tracer.ts';

/** Sampled spans are handed over in groups, so that a request does not pay for a message. */
const HAND_OVER_MS = 100;
const GROUP = 256;
/** Spans the thread has not taken yet; beyond this it cannot keep up, and further ones are dropped. */
const MAX_WAITING = 4_096;
const CLOSE_MS = 2_500;

type Sources = Pick<Service, 'storage' | 'problems'> & { requests: RequestCounts; requestsInFlight(): number };

type Telemetry = {
  tracer: Tracer;
  /** Adds the figures measured elsewhere, once their sources exist. */
  observe(sources: Sources): void;
  /** Sends what remains, within two seconds. */
  close(): Promise<void>;
};

/**
 * Loaded only when switched on. The OpenTelemetry SDK runs in a thread of its own: requests do not wait for it, and a
 * thread that sends HTTP requests itself serves others up to a tenth slower.
 */
export function startTelemetry(config: TelemetryConfig, logger: Logger): Telemetry {
  const worker = new Worker(new URL('./telemetry-thread.ts', import.meta.url), { workerData: config });
  worker.unref();
  let sources: Sources | undefined;
  let isRunning = true;
  const post = (message: ToTelemetryThread): void => worker.postMessage(message);

  let ended: EndedSpan[] = [];
  let waiting = 0;
  const handOver = (): void => {
    if (ended.length === 0) return;
    post({ ended });
    ended = [];
  };
  const take = (span: EndedSpan): void => {
    if (!config.traces || !isRunning || waiting >= MAX_WAITING) return;
    waiting++;
    if (ended.push(span) === 1) setTimeout(handOver, HAND_OVER_MS).unref();
    else if (ended.length === GROUP) handOver();
  };

  worker.on('message', (message: FromTelemetryThread) => {
    if ('taken' in message) waiting -= message.taken;
    else if ('problem' in message) logger.warn({ reason: message.reason }, message.problem);
    else post({ figures: sources ? figuresOf(sources) : undefined });
  });
  const stopped = (error?: Error): void => {
    if (isRunning) logger.error({ err: error }, 'traces and metrics are no longer sent: their thread has ended');
    isRunning = false;
  };
  worker.on('error', stopped).on('exit', () => stopped());

  return {
    tracer: createTracer(config.sampler, take),
    observe(given) {
      sources = given;
    },
    async close() {
      if (!isRunning) return;
      isRunning = false;
      handOver();
      worker.ref();
      const exited = once(worker, 'exit');
      post('close');
      await Promise.race([exited, sleep(CLOSE_MS, undefined, { ref: false })]);
      await worker.terminate();
    },
  };
}

function figuresOf({ storage, problems, requests, requestsInFlight }: Sources): Figures {
  const { open, idle } = storage.figures().connections;
  return {
    durations: Array.from(requests.series(), ({ labels: { method, route, status }, durations }) => ({
      method: conventionalMethod(method),
      status,
      route: route === 'unknown' ? undefined : route,
      durations,
    })),
    requestsInFlight: requestsInFlight(),
    database: { kind: storage.kind, open, idle, waitingActs: storage.waitingActs() },
    problems: problems().map(({ kind }) => kind),
  };
}

export type Figures = {
  durations: {
    method: string;
    route: string | undefined;
    status: number;
    durations: CountedDurations;
  }[];
  requestsInFlight: number;
  database: { kind: string; open: number; idle: number; waitingActs: number };
  problems: string[];
};

/** `figures` responds to `{ request: 'figures' }`; undefined while the service starts. */
export type ToTelemetryThread = { ended: EndedSpan[] } | { figures: Figures | undefined } | 'close';
export type FromTelemetryThread = { taken: number } | { problem: string; reason: string } | { request: 'figures' };
