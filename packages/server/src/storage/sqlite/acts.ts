import { performAudited } from '../perform-audited.ts';
import type { ActCall, Authorship } from '../port.ts';
import { accountActs } from './accounts.ts';
import { activityActs } from './activity.ts';
import { applicationActs } from './applications.ts';
import { auditActs } from './audit.ts';
import { catalogActs } from './catalogs.ts';
import type { Connection } from './connection.ts';
import { draftActs } from './drafts.ts';
import { factActs } from './facts.ts';
import { invitationActs } from './invitations.ts';
import { manageTokenActs } from './manage-tokens.ts';
import { memberActs } from './members.ts';
import { purgeActs } from './purge.ts';
import { rateLimitActs } from './rate-limits.ts';
import { requestLogActs } from './request-log.ts';
import { secondFactorActs } from './second-factors.ts';
import { selectionActs } from './selections.ts';
import { sessionActs } from './sessions.ts';
import { attemptActs } from './sign-in-attempts.ts';
import { signingKeyActs } from './signing-keys.ts';
import { sqliteStores } from './stores.ts';
import { type SurveyReads, surveyReads } from './surveys.ts';
import { tokenActs } from './tokens.ts';
import { transferActs } from './transfer.ts';
import { trialActs } from './trials.ts';
import { userActs } from './users.ts';

function plainActs(connection: Connection) {
  return {
    ...applicationActs(connection),
    ...userActs(connection),
    ...tokenActs(connection),
    ...manageTokenActs(connection),
    ...accountActs(connection),
    ...secondFactorActs(connection),
    ...attemptActs(connection),
    ...rateLimitActs(connection),
    ...sessionActs(connection),
    ...memberActs(connection),
    ...invitationActs(connection),
    ...signingKeyActs(connection),
    ...catalogActs(connection),
    ...draftActs(connection),
    ...selectionActs(connection),
    ...transferActs(connection),
    ...trialActs(connection),
    ...factActs(connection),
    ...activityActs(connection),
    ...requestLogActs(connection),
    ...auditActs(connection),
    ...purgeActs(connection),
  };
}

export type PlainActs = ReturnType<typeof plainActs>;
export type Acts = PlainActs & { audited(by: Authorship, call: ActCall): Promise<unknown> };
export type ActName = keyof Acts;

/** Everything that writes, by name. Each runs whole inside a transaction that the writer opens and commits. */
export function createActs(connection: Connection): Acts {
  const acts = plainActs(connection);
  const surveys = surveyReads(connection);
  const stores = sqliteStores(
    (makeReads) => makeReads(connection),
    async (name, ...args) => call(acts[name], args) as ReturnType<PlainActs[typeof name]>,
    async (name, ...args) => call(surveys[name], args) as ReturnType<SurveyReads[typeof name]>,
  );
  return { ...acts, audited: (by, act) => performAudited(stores, by, act) };
}

function call(act: unknown, args: unknown[]): unknown {
  return (act as (...args: unknown[]) => unknown)(...args);
}
