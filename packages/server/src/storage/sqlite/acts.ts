import { performAudited } from '../audited-storage.ts';
import type { ActCall, Authorship } from '../port.ts';
import { activityActs, auditActs, requestLogActs } from './activity-and-audit.ts';
import { catalogActs } from './catalogs.ts';
import { commonActs } from './common.ts';
import type { Connection } from './connection.ts';
import { deliveryActs } from './deliveries.ts';
import { eventActs } from './events.ts';
import { factActs } from './file-check.ts';
import { purgeActs } from './purge.ts';
import { replaceValueActs, selectionActs } from './selections.ts';
import { sqliteStores } from './stores.ts';
import { type SurveyReads, surveyReads } from './surveys.ts';
import { attemptActs, rateLimitActs } from './throttles.ts';
import { tokenActs } from './tokens.ts';
import { transferActs } from './transfer.ts';
import { trialActs, userActs } from './users.ts';

export type Acts = PlainActs & { audited(by: Authorship, call: ActCall): Promise<unknown> };
export type ActName = keyof Acts;

/** Everything that writes, by name. Each runs whole inside a transaction that the writer opens and commits. */
export function createActs(connection: Connection): Acts {
  const acts = plainActs(connection);
  const surveys = surveyReads(connection);
  const stores = sqliteStores(
    (makeReads) => makeReads(connection),
    (name, ...args) => call(acts[name], args) as Promise<Awaited<ReturnType<PlainActs[typeof name]>>>,
    (name, ...args) => call(surveys[name], args) as Promise<Awaited<ReturnType<SurveyReads[typeof name]>>>,
  );
  return { ...acts, audited: (by, act) => performAudited(stores, by, act) };
}

async function call(act: unknown, args: unknown[]): Promise<unknown> {
  return (act as (...args: unknown[]) => unknown)(...args);
}

/** All write acts except audited ones, by name. */
function plainActs(connection: Connection) {
  return {
    ...commonActs(connection),
    ...userActs(connection),
    ...tokenActs(connection),
    ...attemptActs(connection),
    ...rateLimitActs(connection),
    ...catalogActs(connection),
    ...selectionActs(connection),
    ...replaceValueActs(connection),
    ...transferActs(connection),
    ...trialActs(connection),
    ...factActs(connection),
    ...eventActs(connection),
    ...activityActs(connection),
    ...requestLogActs(connection),
    ...auditActs(connection),
    ...deliveryActs(connection),
    ...purgeActs(connection),
  };
}

export type PlainActs = ReturnType<typeof plainActs>;
