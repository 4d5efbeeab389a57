/** Every request of an application is logged up to this burst, then only so many a second. */
const BURST = 100;
const PER_SECOND = 5;
/** Maximum applications tracked; beyond it, all start over. */
const MAX_APPLICATIONS = 10_000;

type Bucket = { left: number; at: number };

/** Samples the requests of busy applications. Errors have their own quota, because they are what people look for. */
export class Sampling {
  readonly #buckets = { answers: new Map<number, Bucket>(), errors: new Map<number, Bucket>() };

  takes(appId: number, kind: 'answers' | 'errors', now: number): boolean {
    const buckets = this.#buckets[kind];
    let bucket = buckets.get(appId);
    if (!bucket) {
      if (buckets.size >= MAX_APPLICATIONS) buckets.clear();
      bucket = { left: BURST, at: now };
      buckets.set(appId, bucket);
    }
    if (bucket.left < 1) {
      bucket.left = Math.min(BURST, bucket.left + Math.max(0, ((now - bucket.at) / 1000) * PER_SECOND));
      bucket.at = now;
      if (bucket.left < 1) return false;
    }
    bucket.left--;
    return true;
  }
}
