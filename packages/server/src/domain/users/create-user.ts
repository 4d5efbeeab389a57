import { homeOfName, uuidAtHome } from '../../home.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Admission } from '../limits/admission.ts';
import { required } from '../required.ts';
import type { Service } from '../service.ts';
import { recogniseApplication } from './authorize-application.ts';
import { makeSpecialToken } from './special-token.ts';

export type CreateUserRequest = {
  clientId: unknown;
  clientSecret: unknown;
  clientUserId: unknown;
  clientUserName: unknown;
  idempotencyKey: string | undefined;
  admission: Admission;
};

export type UserWithToken = { specialToken: string; clientId: string; clientUserId: string; clientUserName: string };

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
