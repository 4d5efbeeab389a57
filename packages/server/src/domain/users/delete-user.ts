import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Admission } from '../limits/admission.ts';
import type { Service } from '../service.ts';
import { authenticateUser } from './access-tokens.ts';
import { hasSecretOf } from './authorize-application.ts';
import { findUserOfPath, isUserOfPath, type UserOfPath } from './identify-user.ts';

export type Credentials =
  | { kind: 'none' }
  | { kind: 'basic'; clientId: string; clientSecret: string }
  | { kind: 'bearer'; accessToken: string }
  | { kind: 'unreadable' };

export type DeleteUserRequest = {
  clientId: string;
  path: UserOfPath;
  credentials: Credentials;
  admission: Admission;
};

/** The order of the checks is part of the API: clientId known, credentials, then the user. */
export async function deleteUser(service: Service, request: DeleteUserRequest): Promise<void> {
  const { clientId, path, credentials, admission } = request;
  const application = await service.applications.findByClientId(clientId);
  if (!application) throw new InnkeeperError('applicationUnknown');
  if (!(await mayDelete(service, application, path, credentials))) throw new InnkeeperError('credentialsWrong');
  admission.admitApplication(application, 'users');
  const { userId } = await findUserOfPath(service, application, path);
  const outcome = await service.storage.users.delete(application.appId, userId);
  if (outcome === 'unknown') throw new InnkeeperError('userUnknown');
  service.activity.count(application.appId, 'usersErased');
}

async function mayDelete(
  service: Service,
  application: Application,
  path: UserOfPath,
  credentials: Credentials,
): Promise<boolean> {
  switch (credentials.kind) {
    case 'none':
      return !application.settings.deleteNeedsCredentials;
    case 'unreadable':
      return false;
    case 'basic':
      return hasSecretOf(service, application, credentials);
    case 'bearer': {
      const user = await authenticateUser(service, credentials.accessToken);
      // A token gives access to its own user only. For any other user the credentials are wrong, whether that user
      // exists or not, so that a token cannot be used to find out.
      return user?.appId === application.appId && isUserOfPath(user, path);
    }
  }
}
