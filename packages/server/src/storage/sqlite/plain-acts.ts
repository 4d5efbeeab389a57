import { accountActs } from './accounts.ts';
import { activityActs } from './activity.ts';
import { applicationActs } from './applications.ts';
import { auditActs } from './audit.ts';
import { catalogActs } from './catalogs.ts';
import type { Connection } from './connection.ts';
import { deliveryActs } from './deliveries.ts';
import { draftActs } from './drafts.ts';
import { eventActs } from './events.ts';
import { factActs } from './facts.ts';
import { invitationActs } from './invitations.ts';
import { manageTokenActs } from './manage-tokens.ts';
import { memberActs } from './members.ts';
import { purgeActs } from './purge.ts';
import { rateLimitActs } from './rate-limits.ts';
import { replaceValueActs } from './replace-value.ts';
import { requestLogActs } from './request-log.ts';
import { sealedActs } from './sealed.ts';
import { secondFactorActs } from './second-factors.ts';
import { selectionActs } from './selections.ts';
import { sessionActs } from './sessions.ts';
import { attemptActs } from './sign-in-attempts.ts';
import { signingKeyActs } from './signing-keys.ts';
import { textStateActs } from './text-states.ts';
import { tokenActs } from './tokens.ts';
import { transferActs } from './transfer.ts';
import { trialActs } from './trials.ts';
import { userActs } from './users.ts';
import { webhookActs } from './webhooks.ts';

/** Everything that writes but audited acts, by name. */
export function plainActs(connection: Connection) {
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
    ...textStateActs(connection),
    ...selectionActs(connection),
    ...replaceValueActs(connection),
    ...transferActs(connection),
    ...trialActs(connection),
    ...factActs(connection),
    ...sealedActs(connection),
    ...eventActs(connection),
    ...activityActs(connection),
    ...requestLogActs(connection),
    ...auditActs(connection),
    ...webhookActs(connection),
    ...deliveryActs(connection),
    ...purgeActs(connection),
  };
}

export type PlainActs = ReturnType<typeof plainActs>;
