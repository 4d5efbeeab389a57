import { USER_STATUSES, type UserChange, type UserRecord, type UserStatus } from '../../storage/port.ts';
import { homeOfName, uuidAtHome } from '../../uuid.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Admission } from '../limits/rate-limits.ts';
import { required } from '../required.ts';
import type { Service } from '../service.ts';
import type { Credentials, UserWithToken } from './credentials.ts';
import { authenticateUser, hasSecretOf, makeSpecialToken, recogniseApplication } from './credentials.ts';
import { findUserOfPath, isUserOfPath, type UserOfPath } from './identify-user.ts';

type CreateUserRequest = {
  clientId: unknown;
  clientSecret: unknown;
  clientUserId: unknown;
  clientUserName: unknown;
  idempotencyKey: string | undefined;
  admission: Admission;
};

const IDEMPOTENCY_MS = 24 * 3600 * 1000;

/** The order of the checks is part of the API. */
export async function createUser(service: Service, request: CreateUserRequest): Promise<UserWithToken> {
  const clientId = required(request.clientId, 'clientId', 'clientIdMissing');
  const clientSecret = required(request.clientSecret, 'clientSecret', 'clientSecretMissingOnCreate');
  const clientUserId = required(request.clientUserId, 'clientUserId', 'clientUserIdMissing');
  const clientUserName = required(request.clientUserName, 'clientUserName', 'clientUserNameMissing');
  const application = await recogniseApplication(service, clientId, clientSecret);
  request.admission.admitApplication(application, 'users');
  const { idempotencyKey } = request;
  if (idempotencyKey !== undefined && (idempotencyKey.trim() === '' || idempotencyKey.length > 255)) {
    throw new InnkeeperError('idempotencyKeyUnusable');
  }

  const added = await addUser(service, application, { clientUserId, clientUserName }, idempotencyKey);
  return { specialToken: added.specialToken, clientId, clientUserId, clientUserName };
}

type NewUser = { clientUserId: string; clientUserName: string };

/** With a special token that can be exchanged once. */
export async function addUser(
  service: Service,
  application: Application,
  { clientUserId, clientUserName }: NewUser,
  idempotencyKey?: string,
): Promise<{ userId: string; specialToken: string }> {
  const specialToken = makeSpecialToken(service, application, clientUserId);
  const { appId } = application;
  const now = service.now();
  const userId = uuidAtHome(homeOfName(appId, clientUserId));
  const outcome = await service.storage.users.createWithToken({
    userId,
    appId,
    clientUserId,
    clientUserName,
    createdAt: now,
    specialToken: specialToken.record,
    ...(idempotencyKey !== undefined && {
      idempotency: {
        keyHash: service.keyring.hashIdempotency(idempotencyKey),
        // Excludes the secret: a repeat after a rotation is still the same request.
        bodyHash: service.keyring.hashIdempotency(JSON.stringify([clientUserId, clientUserName])),
        expiresAt: now + IDEMPOTENCY_MS,
      },
    }),
  });

  if (outcome === 'created') service.activity.count(appId, 'usersCreated');
  switch (outcome) {
    case 'created':
    case 'replayed':
      return { userId, specialToken: specialToken.text };
    case 'duplicate':
      throw new InnkeeperError('duplicateUser');
    case 'profile-exists':
      throw new InnkeeperError('profileExists');
    case 'idempotency-mismatch':
      throw new InnkeeperError('idempotencyMismatch');
    case 'application-gone':
      throw new InnkeeperError('applicationUnknown');
  }
}

/** The given members of a body, each checked by its own rule; others are ignored. */
export function readUserChange(body: Record<string, unknown>): UserChange {
  const { clientUserName, clientUserId, status } = body;
  return {
    ...(clientUserName !== undefined && {
      clientUserName: required(clientUserName, 'clientUserName', 'clientUserNameMissing'),
    }),
    ...(clientUserId !== undefined && { clientUserId: required(clientUserId, 'clientUserId', 'clientUserIdMissing') }),
    ...(status !== undefined && { status: readStatus(status) }),
  };
}

export function isStatus(value: unknown): value is UserStatus {
  return USER_STATUSES.some((each) => each === value);
}

function readStatus(value: unknown): UserStatus {
  if (isStatus(value)) return value;
  throw new InnkeeperError('usersBadRequest', { message: 'status must be "active" or "suspended".' });
}

/** Makes the whole change or none of it. undefined: the user no longer exists. */
export async function updateUser(
  { storage, now }: Pick<Service, 'storage' | 'now'>,
  { appId }: Pick<Application, 'appId'>,
  userId: string,
  change: UserChange,
): Promise<UserRecord | undefined> {
  const outcome = await storage.users.update(appId, userId, change, now());
  switch (outcome.outcome) {
    case 'updated':
      return outcome.user;
    case 'unknown':
      return undefined;
    case 'duplicate':
      throw new InnkeeperError('duplicateUser');
    case 'profile-exists':
      throw new InnkeeperError('profileExists');
  }
}

type DeleteUserRequest = {
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
  const deletable = await authorizeDelete(service, application, path, credentials);
  if (!deletable) throw new InnkeeperError('credentialsWrong');
  admission.admitApplication(application, 'users');
  const { userId } = await findUserOfPath(service, application, deletable);
  const outcome = await service.storage.users.delete(application.appId, userId);
  if (outcome === 'unknown') throw new InnkeeperError('userUnknown');
  service.activity.count(application.appId, 'usersErased');
}

/** The user that the credentials may delete; undefined if that is not the user of this path. */
async function authorizeDelete(
  service: Service,
  application: Application,
  path: UserOfPath,
  credentials: Credentials,
): Promise<UserOfPath | undefined> {
  switch (credentials.kind) {
    case 'none':
      return application.settings.deleteNeedsCredentials ? undefined : path;
    case 'unreadable':
      return undefined;
    case 'basic':
      return (await hasSecretOf(service, application, credentials)) ? path : undefined;
    case 'bearer': {
      const user = await authenticateUser(service, credentials.accessToken);
      // A token gives access to its own user only. For any other user the credentials are wrong, whether that user
      // exists or not, so that a token cannot be used to find out.
      if (user?.appId !== application.appId || !isUserOfPath(user, path)) return undefined;
      // Another user may have this clientUserId by now.
      return 'clientUserId' in path ? { userCode: user.userId } : path;
    }
  }
}
