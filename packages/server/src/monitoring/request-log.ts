import type { Service } from '../domain/service.ts';
import { pauses } from '../domain/slices.ts';
import type { NewLoggedRequest } from '../storage/port.ts';
import { orderedUuid } from '../uuid.ts';
import { type Exchanged, type SeenRequest, toLoggedRequest } from './logged-request.ts';

/** Every request of an application is logged up to this burst, then only so many a second. */
const BURST = 100;
const PER_SECOND = 5;
/** Maximum applications tracked; beyond it, all start over. */
const MAX_APPLICATIONS = 10_000;

type Bucket = { left: number; at: number };

/** Samples the requests of busy applications. Errors have their own quota, because they are what people look for. */
class Sampling {
  readonly #buckets = { successes: new Map<number, Bucket>(), errors: new Map<number, Bucket>() };

  takes(appId: number, kind: 'successes' | 'errors', now: number): boolean {
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

const FLUSH_MS = 1_000;
/** Maximum requests waiting for the next flush; further ones are counted but not logged. */
const MAX_WAITING = 500;
const MAX_BYTES = 8 * 1024 * 1024;
/** How many of the newest requests are kept per application. */
const KEPT = 1000;
/**
 * After this many new requests, the oldest of the application are deleted. Each process may exceed KEPT by this many.
 */
const TRIM_AFTER = 200;

/**
 * Counts the requests of every application and logs the latest. While a request is served, it only collects data that
 * is at hand; parsing, masking and writing happen once a second, in one transaction.
 */
export class RequestLog {
  readonly #service: Service;
  readonly #isOn: boolean;
  readonly #onFailure: (error: unknown) => void;
  readonly #sampling = new Sampling();
  readonly #timer: NodeJS.Timeout;
  /** Requests added since the application was last trimmed. */
  readonly #added = new Map<number, number>();
  #waiting: SeenRequest[] = [];
  #bytes = 0;
  #inFlight: Promise<void> = Promise.resolve();

  constructor(service: Service, isOn: boolean, onFailure: (error: unknown) => void) {
    this.#service = service;
    this.#isOn = isOn;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  /** Called after the response was sent. `read` is called only if the request is logged. */
  observe(appId: number, code: string | undefined, read: () => Exchanged): void {
    const { activity, now } = this.#service;
    activity.count(appId, 'requests');
    if (code !== undefined) activity.count(appId, `error:${code}`);
    if (!this.#isOn) return;
    const at = now();
    if (!this.#sampling.takes(appId, code === undefined ? 'successes' : 'errors', at)) return;
    const seen = read();
    const { body, answer } = seen;
    const bytes = (body?.length ?? 0) + (typeof answer === 'string' || Buffer.isBuffer(answer) ? answer.length : 0);
    if (this.#waiting.length >= MAX_WAITING || this.#bytes + bytes > MAX_BYTES) return;
    this.#bytes += bytes;
    this.#waiting.push({ requestUid: orderedUuid(), appId, at, code, ...seen });
  }

  /** Resolves when everything observed before the call is stored or was dropped. */
  flush(): Promise<void> {
    this.#inFlight = this.#inFlight.then(() => this.#write());
    return this.#inFlight;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #write(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const seen = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    try {
      const logged: NewLoggedRequest[] = [];
      const pause = pauses();
      for (const each of seen) {
        logged.push(toLoggedRequest(each));
        const paused = pause();
        if (paused) await paused;
      }
      await this.#service.storage.requestLog.add(logged);
      await this.#trim(logged);
    } catch (error) {
      // Not retried, to spare a database in trouble.
      this.#onFailure(error);
    }
  }

  async #trim(logged: readonly NewLoggedRequest[]): Promise<void> {
    for (const { appId } of logged) this.#added.set(appId, (this.#added.get(appId) ?? 0) + 1);
    for (const [appId, added] of this.#added) {
      if (added < TRIM_AFTER) continue;
      this.#added.delete(appId);
      await this.#service.storage.requestLog.trim(appId, KEPT);
    }
  }
}
