import { type ActivityTotals, STEP_MS } from '../storage/port.ts';
import { TokenServiceUnreachable } from '../tokens/port.ts';
import { type Activity, readActivity } from './activity.ts';
import type { Application } from './applications/application.ts';
import type { Catalog } from './catalog/catalog.ts';
import { findMissingTexts } from './catalog/plan.ts';
import type { Service } from './service.ts';
import { inSlices } from './slices.ts';

type ApplicationCounts = {
  users: number;
  moreUsers: boolean;
  languages: number;
  groups: number;
  keys: number;
  revision: number;
};

/** Totals of an application. */
export async function countParts(service: Service, { appId }: Application): Promise<ApplicationCounts> {
  const catalog = await service.catalogs.get(appId);
  return {
    ...(await service.userCounts.read(appId)),
    languages: catalog.languages.all.length,
    groups: catalog.groups.length,
    keys: catalog.keys.length,
    revision: catalog.revision,
  };
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
