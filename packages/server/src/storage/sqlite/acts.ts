import { activityActs, auditActs, requestLogActs } from './activity-and-audit.ts';
import { catalogActs } from './catalogs.ts';
import { commonActs } from './common.ts';
import type { Connection } from './connection.ts';
import { deliveryActs } from './deliveries.ts';
import { eventActs } from './events.ts';
import { factActs } from './file-check.ts';
import { purgeActs } from './purge.ts';
import { replaceValueActs, selectionActs } from './selections.ts';
import { attemptActs, rateLimitActs } from './throttles.ts';
import { tokenActs } from './tokens.ts';
import { transferActs } from './transfer.ts';
import { trialActs, userActs } from './users.ts';

/** All write acts except audited ones, by name. */
export function plainActs(connection: Connection) {
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
