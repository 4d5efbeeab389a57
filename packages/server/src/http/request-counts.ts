/** Upper bounds in seconds; what took longer is in no bucket. */
export const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

type Labels = Record<'method' | 'route' | 'status' | 'code', string>;
type Answers = { labels: Labels; count: number };
/** Each request is in one bucket, the narrowest that it fits. */
export type Durations = { buckets: number[]; seconds: number; count: number };

/** What every request adds to. Looked up by what is there anyway: no name is put together for a count. */
export class RequestCounts {
  readonly #answers = new Map<string, Map<string, Map<number, Map<string, Answers>>>>();
  readonly durations = new Map<string, Durations>();

  addAnswer(method: string, route: string, status: number, code = ''): void {
    const counts = within(within(within(this.#answers, route), method), status);
    const answers = counts.get(code);
    if (answers) answers.count++;
    else counts.set(code, { labels: { method, route, status: String(status), code }, count: 1 });
  }

  *answers(): Iterable<Answers> {
    for (const methods of this.#answers.values()) {
      for (const statuses of methods.values()) for (const codes of statuses.values()) yield* codes.values();
    }
  }

  addDuration(route: string, seconds: number): void {
    let durations = this.durations.get(route);
    if (!durations) {
      durations = { buckets: BUCKETS.map(() => 0), seconds: 0, count: 0 };
      this.durations.set(route, durations);
    }
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] as number)) bucket++;
    if (bucket < BUCKETS.length) (durations.buckets[bucket] as number)++;
    durations.seconds += seconds;
    durations.count++;
  }
}

function within<Name, Key, Value>(maps: Map<Name, Map<Key, Value>>, name: Name): Map<Key, Value> {
  let map = maps.get(name);
  if (!map) {
    map = new Map();
    maps.set(name, map);
  }
  return map;
}
