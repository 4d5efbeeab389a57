import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Admission } from '../limits/admission.ts';
import type { Service } from '../service.ts';
import { authenticateUser } from './authenticate.ts';
import { readUuid } from './user-code.ts';

export type Credentials =
  | { kind: 'none' }
  | { kind: 'basic'; clientId: string; clientSecret: string }
  | { kind: 'bearer'; accessToken: string }
  | { kind: 'unreadable' };

export type DeleteUserRequest = {
  clientId: string;
  userCode: string | undefined;
  credentials: Credentials;
  admission: Admission;
};

/** Order of CONTRACT.md section 2: clientId known, credentials, then the code. */
export async function deleteUser(service: Service, request: DeleteUserRequest): Promise<void> {
  const application = await service.applications.findByClientId(request.clientId);
  if (!application) throw new InnkeeperError('applicationUnknown');
  const userCode = readUuid(request.userCode ?? '');
  if (!(await mayDelete(service, application, userCode, request.credentials))) {
    throw new InnkeeperError('credentialsWrong');
  }
  request.admission.admitApplication(application, 'users');
  if (userCode === undefined) throw new InnkeeperError('userUnknown');
  const outcome = await service.storage.users.delete(application.appId, userCode);
  if (outcome === 'unknown') throw new InnkeeperError('userUnknown');
  service.activity.count(application.appId, 'usersErased');
}

async function mayDelete(
  service: Service,
  application: Application,
  userCode: string | undefined,
  credentials: Credentials,
): Promise<boolean> {
  switch (credentials.kind) {
    case 'none':
      return !application.settings.deleteNeedsCredentials;
    case 'unreadable':
      return false;
    case 'basic':
      return (
        credentials.clientId === application.clientId &&
        (await service.applications.hasSecret(application, credentials.clientSecret, service.now()))
      );
    case 'bearer': {
      const user = await authenticateUser(service, credentials.accessToken);
      if (user?.appId !== application.appId) return false;
      // A token opens its own user only. Another user's code is refused as a wrong credential whether that
      // user exists or not, so that a token cannot be used to find out.
      return userCode === undefined || user.userId === userCode;
    }
  }
}
