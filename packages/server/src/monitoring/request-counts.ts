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
export type ResponseSeries = { readonly labels: Labels; count: number; readonly durations: Durations };

/** Counters that every request updates. Lookups use values at hand, so that no key has to be built. */
export class RequestCounts {
  /** By route: scanning the few entries of a route is faster than three more maps. */
  readonly #series = new Map<string, ResponseSeries[]>();

  add(method: string, route: string, status: number, code = '', seconds?: number): ResponseSeries {
    const series = this.#find(method, route, status, code);
    series.count++;
    if (seconds !== undefined) series.durations.add(seconds);
    return series;
  }

  *series(): Iterable<ResponseSeries> {
    for (const ofRoute of this.#series.values()) yield* ofRoute;
  }

  /** The durations of all responses with the same key. */
  durationsBy(keyOf: (labels: Labels) => string): Map<string, Durations> {
    const sums = new Map<string, Durations>();
    for (const { labels, durations } of this.series()) {
      const key = keyOf(labels);
      const sum = sums.get(key) ?? new Durations(REQUEST_BUCKETS);
      sums.set(key, sum.addAll(durations));
    }
    return sums;
  }

  #find(method: string, route: string, status: number, code: string): ResponseSeries {
    let ofRoute = this.#series.get(route);
    if (!ofRoute) {
      ofRoute = [];
      this.#series.set(route, ofRoute);
    }
    for (const series of ofRoute) {
      const { labels } = series;
      if (labels.status === status && labels.method === method && labels.code === code) return series;
    }
    const added = { labels: { method, route, status, code }, count: 0, durations: new Durations(REQUEST_BUCKETS) };
    ofRoute.push(added);
    return added;
  }
}

/** Durations of storage calls, by name, such as `users.create`. */
export type ActDurations = ReadonlyMap<string, Durations>;
