import { Durations } from './durations.ts';

/** In seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

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

  /** The durations of all answers with the same key. */
  durationsBy(keyOf: (labels: Labels) => string): Map<string, Durations> {
    const sums = new Map<string, Durations>();
    for (const { labels, durations } of this.answers()) {
      const key = keyOf(labels);
      const sum = sums.get(key) ?? new Durations(BUCKETS);
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
    const added = { labels: { method, route, status, code }, count: 0, durations: new Durations(BUCKETS) };
    ofRoute.push(added);
    return added;
  }
}
