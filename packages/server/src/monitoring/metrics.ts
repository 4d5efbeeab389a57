import type { Registry } from 'prom-client';
import type { Storage } from '../storage/port.ts';
import type { MetricSources } from './metrics-registry.ts';

/** Durations as sent to another thread. */
export type CountedDurations = Pick<Durations, 'bounds' | 'buckets' | 'seconds' | 'count'>;

/** Each duration is counted in one bucket, the narrowest that fits; durations above the last bound are in none. */
export class Durations {
  readonly bounds: readonly number[];
  readonly buckets: number[];
  seconds = 0;
  count = 0;

  /** `bounds`: in seconds. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.buckets = bounds.map(() => 0);
  }

  add(seconds: number): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++;
    if (bucket < bounds.length) (this.buckets[bucket] as number)++;
    this.seconds += seconds;
    this.count++;
  }

  /** With the same bounds. */
  addAll(others: CountedDurations): this {
    for (const [bucket, count] of others.buckets.entries()) (this.buckets[bucket] as number) += count;
    this.seconds += others.seconds;
    this.count += others.count;
    return this;
  }
}

/** In seconds. */
const REQUEST_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

type Labels = Record<'method' | 'route' | 'code', string> & { status: number };
/** `durations` misses the requests whose start time is unknown. */
export type Answers = { readonly labels: Labels; count: number; readonly durations: Durations };

/** Counters that every request updates. Lookups use values at hand, so that no key has to be built. */
export class RequestCounts {
  /** By route: scanning the few entries of a route is faster than three more maps. */
  readonly #answers = new Map<string, Answers[]>();

  add(method: string, route: string, status: number, code = '', seconds?: number): Answers {
    const answers = this.#find(method, route, status, code);
    answers.count++;
    if (seconds !== undefined) answers.durations.add(seconds);
    return answers;
  }

  *answers(): Iterable<Answers> {
    for (const ofRoute of this.#answers.values()) yield* ofRoute;
  }

  /** The durations of all responses with the same key. */
  durationsBy(keyOf: (labels: Labels) => string): Map<string, Durations> {
    const sums = new Map<string, Durations>();
    for (const { labels, durations } of this.answers()) {
      const key = keyOf(labels);
      const sum = sums.get(key) ?? new Durations(REQUEST_BUCKETS);
      sums.set(key, sum.addAll(durations));
    }
    return sums;
  }

  #find(method: string, route: string, status: number, code: string): Answers {
    let ofRoute = this.#answers.get(route);
    if (!ofRoute) {
      ofRoute = [];
      this.#answers.set(route, ofRoute);
    }
    for (const answers of ofRoute) {
      const { labels } = answers;
      if (labels.status === status && labels.method === method && labels.code === code) return answers;
    }
    const added = { labels: { method, route, status, code }, count: 0, durations: new Durations(REQUEST_BUCKETS) };
    ofRoute.push(added);
    return added;
  }
}

/** In seconds. Few, because every storage call has its own row. */
const ACT_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

/** Durations of storage calls, by name, such as `users.create`. */
export type ActDurations = ReadonlyMap<string, Durations>;

type Act = (...args: unknown[]) => Promise<unknown>;

/** Wraps a storage to measure every call, from start to result or error, including waiting. */
export function timedStorage(storage: Storage): { storage: Storage; durations: ActDurations } {
  const durations = new Map<string, Durations>();
  const timed: Record<string, unknown> = { ...storage };
  for (const [store, acts] of Object.entries(storage)) {
    if (typeof acts !== 'object') continue;
    const own = Object.entries(acts as Record<string, Act>).map(([name, act]) => {
      const ofAct = new Durations(ACT_BUCKETS);
      durations.set(`${store}.${name}`, ofAct);
      return [name, timedAct(act, ofAct)];
    });
    timed[store] = Object.fromEntries(own);
  }
  return { storage: timed as unknown as Storage, durations };
}

function timedAct(act: Act, durations: Durations): Act {
  return (...args) => {
    const startedAt = performance.now();
    const outcome = act(...args);
    const end = (): void => durations.add((performance.now() - startedAt) / 1000);
    outcome.then(end, end);
    return outcome;
  };
}

export type Metrics = {
  readonly counts: RequestCounts;
  observe(method: string, route: string, status: number, code: string | undefined, seconds: number): Answers;
  /** For a request whose start time is unknown. */
  count(method: string, route: string, status: number, code: string | undefined): void;
  /** Prometheus text format. */
  text(): Promise<string>;
};

/** Requests are counted from the start; prom-client, 80 modules, is loaded when the metrics are first read. */
export function createMetrics(
  sources: MetricSources,
  textOf: (registry: () => Promise<Registry>) => () => Promise<string>,
): Metrics {
  const counts = new RequestCounts();
  let registry: Promise<Registry> | undefined;
  return {
    counts,
    observe: (method, route, status, code, seconds) => counts.add(method, route, status, code, seconds),
    count: (method, route, status, code) => counts.add(method, route, status, code),
    text: textOf(() => {
      registry ??= import('./metrics-registry.ts').then(({ createRegistry }) => createRegistry(sources, counts));
      return registry;
    }),
  };
}
