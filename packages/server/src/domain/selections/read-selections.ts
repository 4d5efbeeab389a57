import type { SelectionRecord, UserRecord } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import type { Service } from '../service.ts';
import { type UserClaims, userOfCredentials, userOfTokens } from '../users/identify-user.ts';

/** Identifies the reader and reads the user's selections, in one query. */
export async function readSelections(
  service: Service,
  application: Application,
  claims: UserClaims,
): Promise<{ user: UserRecord; selections: SelectionRecord[] }> {
  const { selections } = service.storage;
  const byToken = await userOfTokens(service, application, claims, (tokenId, now) =>
    selections.listOfToken(tokenId, now),
  );
  if (byToken) return { user: byToken, selections: byToken.selections };
  const user = await userOfCredentials(service, application, claims, (appId, userId) =>
    selections.listOfUser(appId, userId),
  );
  return { user, selections: user.selections };
}
