import { activityActs } from './activity.ts';
import { applicationActs } from './applications.ts';
import { auditActs } from './audit.ts';
import { catalogActs } from './catalogs.ts';
import { commonActs } from './common.ts';
import type { Connection } from './connection.ts';
import { deliveryActs } from './deliveries.ts';
import { eventActs } from './events.ts';
import { factActs } from './facts.ts';
import { purgeActs } from './purge.ts';
import { rateLimitActs } from './rate-limits.ts';
import { replaceValueActs } from './replace-value.ts';
import { requestLogActs } from './request-log.ts';
import { selectionActs } from './selections.ts';
import { attemptActs } from './sign-in-attempts.ts';
import { tokenActs } from './tokens.ts';
import { transferActs } from './transfer.ts';
import { trialActs } from './trials.ts';
import { userActs } from './users.ts';

/** All write acts except audited ones, by name. */
export function plainActs(connection: Connection) {
  return {
    ...commonActs(connection),
    ...applicationActs(connection),
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
