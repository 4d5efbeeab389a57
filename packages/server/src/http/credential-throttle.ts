import { InnkeeperError } from '../domain/errors.ts';

/** Failures an address may make in a burst, and how fast they are refilled. */
const BURST = 200;
const PER_SECOND = 5;
const MAX_ADDRESSES = 10_000;

type Bucket = { failures: number; at: number };

/**
 * Slows down clients that keep sending wrong secrets. It is checked only after a credential has failed, so a request
 * with valid credentials is never affected, even if others from its address fail.
 */
export class CredentialThrottle {
  readonly #buckets = new Map<string, Bucket>();

  /** Counts a failure; throws if the address has made too many. `now` is monotonic: performance.now(). */
  failed(network: string, now: number): void {
    const bucket = this.#buckets.get(network) ?? { failures: 0, at: now };
    bucket.failures = Math.max(0, bucket.failures - ((now - bucket.at) / 1000) * PER_SECOND) + 1;
    bucket.at = now;
    // Re-insert as last: the first key is always the address that has been quiet the longest.
    this.#buckets.delete(network);
    this.#buckets.set(network, bucket);
    if (this.#buckets.size > MAX_ADDRESSES) this.#buckets.delete(this.#buckets.keys().next().value as string);
    if (bucket.failures <= BURST) return;
    bucket.failures = Math.min(bucket.failures, BURST * 2);
    const seconds = Math.ceil((bucket.failures - BURST) / PER_SECOND);
    throw new InnkeeperError('tooManyFailures', { headers: { 'retry-after': String(Math.max(1, seconds)) } });
  }
}
