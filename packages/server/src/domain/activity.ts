import { type ActivityCount, type ActivityPoint, type ActivityStep, STEP_MS, type Storage } from '../storage/port.ts';

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

type CountedName = (typeof COUNTED)[number] | `error:${string}`;

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
  /** Of earlier hours, or not stored yet. By application, name and hour, so an outage adds nothing but hours. */
  #earlier = new Map<string, ActivityCount>();
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
      this.#keep(this.#take());
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
    this.#keep(this.#take());
    const counts = [...this.#earlier.values()];
    this.#earlier = new Map();
    if (counts.length === 0) return;
    try {
      await this.#storage.activity.add(counts);
    } catch (error) {
      this.#keep(counts);
      this.#onFailure(error);
    }
  }

  #keep(counts: readonly ActivityCount[]): void {
    for (const count of counts) {
      const key = `${count.appId} ${Math.floor(count.lastAt / STEP_MS.hour)} ${count.name}`;
      const known = this.#earlier.get(key);
      if (!known) {
        this.#earlier.set(key, count);
        continue;
      }
      known.count += count.count;
      known.lastAt = Math.max(known.lastAt, count.lastAt);
    }
  }

  #take(): ActivityCount[] {
    const taken = [...this.#counts.values()].flatMap((names) => [...names.values()]);
    this.#counts = new Map();
    return taken;
  }
}

/** Maximum steps per response: a week of hours, or a year of days. */
export const MAX_STEPS = 400;

export type Activity = {
  requests: number;
  errors: number;
  usersCreated: number;
  usersErased: number;
  tokensIssued: number;
  tokensFailed: number;
  selectionsSaved: number;
  selectionsUnset: number;
};

type ActivitySeries = {
  points: (Activity & { at: number })[];
  total: Activity;
  /** By code, the most frequent first. */
  errors: { code: string; count: number }[];
  /** Total time the token service took. */
  tokenMicroseconds: number;
};

/** Every step from `from` up to, but not including, `to`, including empty ones. */
export async function readActivity(
  storage: Storage,
  appId: number,
  span: { step: ActivityStep; from: number; to: number },
): Promise<ActivitySeries> {
  const { step, from, to } = span;
  const counts = await storage.activity.list(appId, span);
  const byTime = Map.groupBy(counts, ({ at }) => at);
  const points: ActivitySeries['points'] = [];
  for (let at = from; at < to; at += STEP_MS[step]) points.push({ at, ...toActivity(byTime.get(at) ?? []) });
  const byCode = Map.groupBy(counts.filter(isError), ({ name }) => name.slice('error:'.length));
  return {
    points,
    total: toActivity(counts),
    errors: [...byCode]
      .map(([code, each]) => ({ code, count: sum(each) }))
      .sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
    tokenMicroseconds: sum(counts.filter(({ name }) => name === 'tokenMicroseconds')),
  };
}

function toActivity(counts: readonly ActivityPoint[]): Activity {
  const of = (wanted: string): number => sum(counts.filter(({ name }) => name === wanted));
  return {
    requests: of('requests'),
    errors: sum(counts.filter(isError)),
    usersCreated: of('usersCreated'),
    usersErased: of('usersErased'),
    tokensIssued: of('tokensIssued'),
    tokensFailed: of('tokensFailed'),
    selectionsSaved: of('selectionsSaved'),
    selectionsUnset: of('selectionsUnset'),
  };
}

function isError({ name }: ActivityPoint): boolean {
  return name.startsWith('error:');
}

function sum(counts: readonly ActivityPoint[]): number {
  return counts.reduce((total, { count }) => total + count, 0);
}
