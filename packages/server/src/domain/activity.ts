import {
  type ActivityCount,
  type ActivityPoint,
  type ActivityStep,
  type ActivityTotals,
  STEP_MS,
  type Storage,
} from '../storage/port.ts';
import { TokenServiceUnreachable } from '../tokens/port.ts';
import type { Application } from './applications/application.ts';
import type { Catalog } from './catalog/catalog.ts';
import { findMissingTexts } from './catalog/plan.ts';
import type { Service } from './service.ts';
import { inSlices } from './slices.ts';

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

type Activity = {
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

/** Maximum rows counted of each kind: a few milliseconds. */
const COUNT_LIMIT = 20_000;

type TokenServiceHealth = {
  kind: 'embedded' | 'remote';
  /** `failing`: reachable, but the latest token could not be issued. */
  state: 'ok' | 'failing' | 'unreachable';
  /** Over one day, if a token was issued in it. */
  averageMilliseconds: number | null;
  lastFailedAt: number | null;
};

type Overview = {
  totals: ActivityTotals;
  catalog: { revision: number; languages: number; groups: number; keys: number };
  lastDay: Activity;
  tokenService: TokenServiceHealth;
  lastRequestAt: number | null;
  /** The steps to get an application going, in order. */
  steps: { step: Step; done: boolean }[];
};

export const STEPS = ['languages', 'options', 'publish', 'translations', 'user', 'token', 'selection'] as const;
type Step = (typeof STEPS)[number];

export async function readOverview(service: Service, { appId }: Application): Promise<Overview> {
  const { storage, now } = service;
  // Include this process's own latest counts.
  await service.activity.flush();
  const catalog = await service.catalogs.get(appId);
  const { published, draft } = await service.openCatalogs.open(appId);
  // A defined catalog counts immediately, even before it is published.
  const wanted = draft?.catalog ?? published;
  const totals = await storage.activity.totals(appId, now(), COUNT_LIMIT);
  const thisHour = now() - (now() % STEP_MS.hour);
  const span = { step: 'hour', from: thisHour - 23 * STEP_MS.hour, to: thisHour + STEP_MS.hour } as const;
  const day = await readActivity(storage, appId, span);
  const lastIssuedAt = await storage.activity.lastAt(appId, 'tokensIssued');
  const lastFailedAt = await storage.activity.lastAt(appId, 'tokensFailed');
  const done: Record<Step, boolean> = {
    languages: wanted.languages.length > 0,
    options: liveKeys(wanted) > 0,
    publish: catalog.keys.length > 0,
    translations: wanted.languages.length > 0 && (await isTranslated(wanted)),
    user: totals.users.count > 0,
    token: lastIssuedAt !== undefined || totals.liveTokens.count > 0,
    selection: totals.selections.count > 0,
  };
  return {
    totals,
    catalog: {
      revision: catalog.revision,
      languages: catalog.languages.all.length,
      groups: catalog.groups.length,
      keys: catalog.keys.length,
    },
    lastDay: day.total,
    tokenService: {
      kind: service.tokens.kind,
      state: await stateOf(service, lastIssuedAt, lastFailedAt),
      averageMilliseconds:
        day.total.tokensIssued === 0 ? null : Math.round(day.tokenMicroseconds / day.total.tokensIssued / 10) / 100,
      lastFailedAt: lastFailedAt ?? null,
    },
    lastRequestAt: (await storage.activity.lastAt(appId, 'requests')) ?? null,
    steps: STEPS.map((step) => ({ step, done: done[step] })),
  };
}

function liveKeys({ groups }: Catalog): number {
  const live = groups.filter((group) => !group.archived).flatMap(({ keys }) => keys);
  return live.filter((key) => !key.archived).length;
}

/** The catalog has texts, and no language lacks one. */
async function isTranslated(catalog: Catalog): Promise<boolean> {
  return (await inSlices(findMissingTexts(catalog))).every(({ total, count }) => total > 0 && count === 0);
}

async function stateOf({ tokens }: Service, lastIssuedAt = 0, lastFailedAt = 0): Promise<TokenServiceHealth['state']> {
  try {
    await tokens.ping();
    return lastFailedAt > lastIssuedAt ? 'failing' : 'ok';
  } catch (error) {
    if (error instanceof TokenServiceUnreachable) return 'unreachable';
    throw error;
  }
}
