import { type ActivityCount, STEP_MS, type Storage } from '../../storage/port.ts';

/** At most this much of the statistics is lost when a process is killed. */
const FLUSH_MS = 3_000;

/** What is counted, beside `error:CODE`. */
const COUNTED = [
  'requests',
  'usersCreated',
  'usersErased',
  'tokensIssued',
  'tokensFailed',
  /** What the token service took for those that it made. */
  'tokenMicroseconds',
  'selectionsSaved',
  'selectionsUnset',
] as const;

export type CountedName = (typeof COUNTED)[number] | `error:${string}`;

/**
 * Counts in memory and adds what came together to the database every few seconds, off the way of every request. It is
 * statistics: a process that is killed takes its last seconds along.
 */
export class ActivityCounter {
  readonly #storage: Storage;
  readonly #now: () => number;
  readonly #onFailure: (error: unknown) => void;
  readonly #timer: NodeJS.Timeout;
  /** By application, then by name: no key has to be put together for a count. */
  #counts = new Map<number, Map<string, ActivityCount>>();
  /** Counts of one hour are kept apart from those of the next. */
  #hour = 0;
  #earlier: ActivityCount[] = [];
  #underWay: Promise<void> = Promise.resolve();

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

  /** Resolves when all that was counted before the call is in the database, or could not be put there now. */
  flush(): Promise<void> {
    this.#underWay = this.#underWay.then(() => this.#add());
    return this.#underWay;
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
      // For the next time. There are only as many as names and applications, and hours that the database is away.
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
