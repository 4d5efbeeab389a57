/** Upper bounds in seconds; what took longer is in no bucket. */
export const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

type Labels = Record<'method' | 'route' | 'status' | 'code', string>;
/** Each request is in one bucket, the narrowest that it fits. */
export type Durations = { buckets: number[]; seconds: number; count: number };

/** What every request adds to. */
export class RequestCounts {
  readonly answers = new Map<string, { labels: Labels; count: number }>();
  readonly durations = new Map<string, Durations>();

  addAnswer(method: string, route: string, status: number, code = ''): void {
    const name = `${method} ${route} ${status} ${code}`;
    const answer = this.answers.get(name);
    if (answer) answer.count++;
    else this.answers.set(name, { labels: { method, route, status: String(status), code }, count: 1 });
  }

  addDuration(route: string, seconds: number): void {
    let durations = this.durations.get(route);
    if (!durations) {
      durations = { buckets: BUCKETS.map(() => 0), seconds: 0, count: 0 };
      this.durations.set(route, durations);
    }
    const bucket = BUCKETS.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) (durations.buckets[bucket] as number)++;
    durations.seconds += seconds;
    durations.count++;
  }
}
