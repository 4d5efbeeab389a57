import { Durations } from './durations.ts';

/** In seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

type Labels = Record<'method' | 'route' | 'code', string> & { status: number };
type Answers = { labels: Labels; count: number };

/** Counters that every request updates. Lookups use values at hand, so that no key has to be built. */
export class RequestCounts {
  /** By route: scanning the few entries of a route is faster than three more maps. */
  readonly #answers = new Map<string, Answers[]>();
  readonly durations = new Map<string, Durations>();

  addAnswer(method: string, route: string, status: number, code = ''): void {
    let ofRoute = this.#answers.get(route);
    if (!ofRoute) {
      ofRoute = [];
      this.#answers.set(route, ofRoute);
    }
    for (const answers of ofRoute) {
      const { labels } = answers;
      if (labels.status === status && labels.method === method && labels.code === code) {
        answers.count++;
        return;
      }
    }
    ofRoute.push({ labels: { method, route, status, code }, count: 1 });
  }

  *answers(): Iterable<Answers> {
    for (const ofRoute of this.#answers.values()) yield* ofRoute;
  }

  addDuration(route: string, seconds: number): void {
    let durations = this.durations.get(route);
    if (!durations) {
      durations = new Durations(BUCKETS);
      this.durations.set(route, durations);
    }
    durations.add(seconds);
  }
}
