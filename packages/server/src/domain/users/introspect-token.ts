import type { Application } from '../applications/application.ts';
import type { Service } from '../service.ts';
import { type AuthenticatedUser, authenticateUser } from './authenticate.ts';

/** The live token of a user of this application. Another application's token looks like one that does not exist. */
export async function introspectToken(
  service: Service,
  application: Application,
  accessToken: string,
): Promise<AuthenticatedUser | undefined> {
  const user = await authenticateUser(service, accessToken);
  return user?.appId === application.appId ? user : undefined;
}
