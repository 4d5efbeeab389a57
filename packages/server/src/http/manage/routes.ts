import type { Service } from '../../domain/service.ts';
import type { SendOwn } from '../server/door.ts';
import type { Routes } from '../server/routes.ts';
import { accountRoutes } from './account.ts';
import { activityRoutes } from './activity.ts';
import { applicationRoutes, secretRoutes } from './applications.ts';
import { auditRoutes } from './audit.ts';
import { catalogRoutes, revisionRoutes } from './catalog.ts';
import { catalogItemRoutes } from './catalog-items.ts';
import { draftRoutes } from './drafts.ts';
import { exportUserRoutes } from './export-user.ts';
import { insightRoutes } from './insights.ts';
import { createManageRoutes } from './manage-route.ts';
import { memberRoutes } from './members.ts';
import { requestRoutes } from './requests.ts';
import { sessionRoutes } from './sessions.ts';
import { tokenRoutes } from './tokens.ts';
import { transferUserRoutes } from './transfer-users.ts';
import { translationFileRoutes } from './translation-files.ts';
import { translationRoutes } from './translations.ts';
import { tryItRoutes } from './try-it.ts';
import { userOptionRoutes } from './user-options.ts';
import { userTokenRoutes } from './user-tokens.ts';
import { userRoutes } from './users.ts';
import { webhookDeliveryRoutes, webhookRoutes } from './webhooks.ts';

/**
 * The portal's interface. It is documented, and open to programs with a personal access token.
 */
export function manageRoutes(app: Routes, service: Service, sendOwn: SendOwn): void {
  const routes = createManageRoutes(app, service);

  sessionRoutes(routes, service);
  tokenRoutes(routes, service);
  accountRoutes(routes, service);

  applicationRoutes(routes, service);
  secretRoutes(routes, service);
  memberRoutes(routes, service);
  webhookRoutes(routes, service);
  webhookDeliveryRoutes(routes, service);

  catalogRoutes(routes, service);
  catalogItemRoutes(routes, service);
  translationRoutes(routes, service);
  translationFileRoutes(routes, service);
  draftRoutes(routes, service);
  revisionRoutes(routes, service);

  transferUserRoutes(routes, service);
  userRoutes(routes, service);
  exportUserRoutes(routes, service);
  userTokenRoutes(routes, service);
  userOptionRoutes(routes, service);

  insightRoutes(routes, service);
  activityRoutes(routes, service);
  requestRoutes(routes, service);
  auditRoutes(routes, service);

  tryItRoutes(routes, service, { sendOwn, isServed: (path) => app.has('POST', path) });
}
