/** What is left of them in another thread. */
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
