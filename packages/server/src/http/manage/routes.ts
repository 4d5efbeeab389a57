import type { FastifyInstance } from 'fastify';
import type { Service } from '../../domain/service.ts';
import { archiveGroupRoute } from './archive-group.ts';
import { archiveKeyRoute } from './archive-key.ts';
import { changeApplicationRoute } from './change-application.ts';
import { changeGroupRoute } from './change-group.ts';
import { changeKeyRoute } from './change-key.ts';
import { changeTranslationsRoute } from './change-translations.ts';
import { compareRevisionsRoute } from './compare-revisions.ts';
import { countValuesRoute } from './count-values.ts';
import { createAccountTokenRoute } from './create-account-token.ts';
import { createApplicationRoute } from './create-application.ts';
import { createGroupRoute } from './create-group.ts';
import { createKeyRoute } from './create-key.ts';
import { deleteApplicationRoute } from './delete-application.ts';
import { endAccountSessionRoute } from './end-account-session.ts';
import { endPreviousSecretRoute } from './end-previous-secret.ts';
import { eraseUserRoute } from './erase-user.ts';
import { exportUserRoute } from './export-user.ts';
import { getApplicationRoute } from './get-application.ts';
import { getCatalogRoute } from './get-catalog.ts';
import { getCatalogTreeRoute } from './get-catalog-tree.ts';
import { getRevisionRoute } from './get-revision.ts';
import { getSessionRoute } from './get-session.ts';
import { getUserRoute } from './get-user.ts';
import { listAccountSessionsRoute } from './list-account-sessions.ts';
import { listAccountTokensRoute } from './list-account-tokens.ts';
import { listApplicationsRoute } from './list-applications.ts';
import { listLanguagesRoute } from './list-languages.ts';
import { listRevisionsRoute } from './list-revisions.ts';
import { listTranslationsRoute } from './list-translations.ts';
import { listUserHistoryRoute } from './list-user-history.ts';
import { listUserOptionsRoute } from './list-user-options.ts';
import { planCatalogRoute } from './plan-catalog.ts';
import { putCatalogRoute } from './put-catalog.ts';
import { putLanguagesRoute } from './put-languages.ts';
import { putOrderRoute } from './put-order.ts';
import { putValuesRoute } from './put-values.ts';
import { reissueSpecialTokenRoute } from './reissue-special-token.ts';
import { restoreRevisionRoute } from './restore-revision.ts';
import { revokeAccessTokenRoute } from './revoke-access-token.ts';
import { revokeAccessTokensRoute } from './revoke-access-tokens.ts';
import { revokeAccountTokenRoute } from './revoke-account-token.ts';
import { rotateSecretRoute } from './rotate-secret.ts';
import { searchUsersRoute } from './search-users.ts';
import { signInRoute } from './sign-in.ts';
import { signOutRoute } from './sign-out.ts';
import { suggestLanguageRoute } from './suggest-language.ts';
import { tryItRoute } from './try-it.ts';

/** CONTRACT.md section 5: what the portal does, as a documented interface, which a personal access token opens for programs too. */
export function manageRoutes(app: FastifyInstance, service: Service): void {
  signInRoute(app, service);
  getSessionRoute(app, service);
  signOutRoute(app, service);
  listAccountSessionsRoute(app, service);
  endAccountSessionRoute(app, service);
  listAccountTokensRoute(app, service);
  createAccountTokenRoute(app, service);
  revokeAccountTokenRoute(app, service);

  listApplicationsRoute(app, service);
  createApplicationRoute(app, service);
  getApplicationRoute(app, service);
  changeApplicationRoute(app, service);
  deleteApplicationRoute(app, service);
  rotateSecretRoute(app, service);
  endPreviousSecretRoute(app, service);

  suggestLanguageRoute(app, service);
  getCatalogRoute(app, service);
  getCatalogTreeRoute(app, service);
  putCatalogRoute(app, service);
  planCatalogRoute(app, service);
  listLanguagesRoute(app, service);
  putLanguagesRoute(app, service);
  createGroupRoute(app, service);
  changeGroupRoute(app, service);
  archiveGroupRoute(app, service);
  createKeyRoute(app, service);
  changeKeyRoute(app, service);
  archiveKeyRoute(app, service);
  putValuesRoute(app, service);
  putOrderRoute(app, service);
  listTranslationsRoute(app, service);
  changeTranslationsRoute(app, service);

  listRevisionsRoute(app, service);
  compareRevisionsRoute(app, service);
  getRevisionRoute(app, service);
  restoreRevisionRoute(app, service);

  searchUsersRoute(app, service);
  getUserRoute(app, service);
  eraseUserRoute(app, service);
  exportUserRoute(app, service);
  reissueSpecialTokenRoute(app, service);
  revokeAccessTokenRoute(app, service);
  revokeAccessTokensRoute(app, service);
  listUserOptionsRoute(app, service);
  listUserHistoryRoute(app, service);

  countValuesRoute(app, service);

  tryItRoute(app, service);
}
