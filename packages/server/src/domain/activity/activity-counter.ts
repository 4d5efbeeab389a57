import { type ActivityCount, STEP_MS, type Storage } from '../../storage/port.ts';

/** At most this much of the statistics is lost if a process is killed. */
const FLUSH_MS = 3_000;

/** The counters, besides `error:CODE`. */
const COUNTED = [
  'requests',
  'usersCreated',
  'usersErased',
  'tokensIssued',
  'tokensFailed',
  /** Total time the token service took for those it issued. */
  'tokenMicroseconds',
  'selectionsSaved',
  'selectionsUnset',
] as const;

export type CountedName = (typeof COUNTED)[number] | `error:${string}`;

/**
 * Counts in memory and adds the counts to the database every few seconds, so that no request waits for it. These are
 * statistics: a killed process loses its last seconds.
 */
export class ActivityCounter {
  readonly #storage: Storage;
  readonly #now: () => number;
  readonly #onFailure: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  /** By application, then by name, so that no key has to be built for a count. */
  #counts = new Map<number, Map<string, ActivityCount>>();
  /** The hour of the current counts: each hour is stored separately. */
  #hour = 0;
  #earlier: ActivityCount[] = [];
  #inFlight: Promise<void> = Promise.resolve();

  constructor(storage: Storage, now: () => number, onFailure: (error: unknown) => void) {
    this.#storage = storage;
    this.#now = now;
    this.#onFailure = onFailure;
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS);
    this.#timer.unref();
  }

  count(appId: number, name: CountedName, count = 1): void {
    const now = this.#now();
    const hour = Math.floor(now / STEP_MS.hour);
    if (hour !== this.#hour) {
      this.#earlier.push(...this.#take());
      this.#hour = hour;
    }
    let names = this.#counts.get(appId);
    if (!names) {
      names = new Map();
      this.#counts.set(appId, names);
    }
    const known = names.get(name);
    if (known) {
      known.count += count;
      known.lastAt = now;
    } else names.set(name, { appId, name, count, lastAt: now });
  }

  /** Resolves when everything counted before the call is in the database, or could not be stored now. */
  flush(): Promise<void> {
    this.#inFlight = this.#inFlight.then(() => this.#add());
    return this.#inFlight;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  async #add(): Promise<void> {
    const counts = [...this.#earlier, ...this.#take()];
    this.#earlier = [];
    if (counts.length === 0) return;
    try {
      await this.#storage.activity.add(counts);
    } catch (error) {
      // Kept for the next flush. There are only as many as names, applications and hours of an outage.
      this.#earlier.push(...counts);
      this.#onFailure(error);
    }
  }

  #take(): ActivityCount[] {
    const taken = [...this.#counts.values()].flatMap((names) => [...names.values()]);
    this.#counts = new Map();
    return taken;
  }
}
