import type { SelectionAuthMethod, UserRecord } from '../../storage/port.ts';
import { readUuid } from '../../uuid.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import { missingReason } from '../required.ts';
import type { Service } from '../service.ts';
import { authenticate, type Credentials, type FindOwner, hasSecretOf } from './credentials.ts';

/** Everything in a request to the options API that identifies the end user. */
export type UserClaims = {
  userUid: string | undefined;
  /** In the body. */
  accessToken: string | undefined;
  /** In the Authorization header. */
  credentials: Credentials;
};

export type IdentifiedUser = { user: UserRecord; authMethod: SelectionAuthMethod };

/** With `isNamed`, no one has checked yet whether the user exists. */
export type UserToSave = {
  user: Pick<UserRecord, 'appId' | 'userId'>;
  authMethod: SelectionAuthMethod;
  isNamed: boolean;
};

/** The user to save for. By user_uid alone only as far as the application's saveByUserUid allows. */
export async function identifyUserToSave(
  service: Service,
  application: Application,
  claims: UserClaims,
): Promise<UserToSave> {
  const byToken = await userOfTokens(service, application, claims, ownerOf(service));
  if (byToken) return { user: byToken, authMethod: 'access_token', isNamed: false };
  if (!claims.userUid?.trim()) throw userMissing();
  const { saveByUserUid } = application.settings;
  // Wrong credentials are refused even where none are required, as in delete.
  const isRight = claims.credentials.kind === 'none' || (await hasSecretOf(service, application, claims.credentials));
  const mayName = saveByUserUid === 'open' || (saveByUserUid === 'secret' && claims.credentials.kind !== 'none');
  if (isRight && saveByUserUid === 'off') throw new InnkeeperError('userUidNotAccepted');
  if (!isRight || !mayName) throw new InnkeeperError('userCredentialsNeeded');
  const userId = readUuid(claims.userUid);
  if (!userId) throw userNotFound();
  return { user: { appId: application.appId, userId }, authMethod: 'user_uid', isNamed: true };
}

/** The user to read or unset for: apiKey and user_uid are public, so neither is enough. */
export async function identifyUserToRead(
  service: Service,
  application: Application,
  claims: UserClaims,
): Promise<IdentifiedUser> {
  const byToken = await userOfTokens(service, application, claims, ownerOf(service));
  if (byToken) return { user: byToken, authMethod: 'access_token' };
  const { users } = service.storage;
  const find: FindUser<UserRecord> = (appId, userId) => users.find(appId, userId);
  return { user: await userOfCredentials(service, application, claims, find), authMethod: 'user_uid' };
}

/** The user named by a caller with the application's secret. */
export async function userOfCredentials<User extends UserRecord>(
  service: Service,
  application: Application,
  claims: UserClaims,
  find: FindUser<User>,
): Promise<User> {
  if (!(await hasSecretOf(service, application, claims.credentials))) throw new InnkeeperError('userCredentialsNeeded');
  if (!claims.userUid?.trim()) throw userMissing();
  return findActive(application, claims.userUid, find);
}

/** Looks up a user by code, with other data of that user. */
type FindUser<User extends UserRecord> = (appId: number, userId: string) => Promise<User | undefined>;

function ownerOf({ storage }: Service): FindOwner<UserRecord> {
  return (tokenId, now) => storage.tokens.findOwner(tokenId, now);
}

function userMissing(): InnkeeperError {
  return new InnkeeperError('userMissing', { fields: [{ field: 'user_uid', message: 'is missing' }] });
}

/** The user that all sent tokens, and user_uid, agree on; undefined if no token was sent. */
export async function userOfTokens<User extends UserRecord>(
  service: Service,
  application: Application,
  { userUid, accessToken, credentials }: UserClaims,
  findOwner: FindOwner<User>,
): Promise<User | undefined> {
  const tokens = [accessToken, credentials.kind === 'bearer' ? credentials.accessToken : undefined];
  let user: User | undefined;
  for (const token of new Set(tokens)) {
    if (token === undefined) continue;
    const owner = await authenticate(service, token, findOwner);
    if (!owner || owner.appId !== application.appId || (user && user.userId !== owner.userId)) {
      throw new InnkeeperError('accessTokenInvalid');
    }
    user = owner;
  }
  if (user && userUid !== undefined && user.userId !== readUuid(userUid))
    throw new InnkeeperError('accessTokenInvalid');
  return user;
}

export function findActiveUser(
  { storage: { users } }: Service,
  application: Pick<Application, 'appId'>,
  userUid: string,
): Promise<UserRecord> {
  return findActive(application, userUid, (appId, userId) => users.find(appId, userId));
}

async function findActive<User extends UserRecord>(
  { appId }: Pick<Application, 'appId'>,
  userUid: string,
  find: FindUser<User>,
): Promise<User> {
  const userId = readUuid(userUid);
  const user = userId && (await find(appId, userId));
  if (!user) throw userNotFound();
  if (user.status === 'suspended') throw userSuspended();
  return user;
}

export function userSuspended(): InnkeeperError {
  return new InnkeeperError('userSuspended', { fields: [{ field: 'user_uid', message: 'names a suspended user' }] });
}

function userNotFound(): InnkeeperError {
  return new InnkeeperError('profileUserNotFound', {
    fields: [{ field: 'user_uid', message: 'does not match any user' }],
  });
}

/** How a path names a user: by the service's code, or by the application's own id. */
export type UserOfPath = { userCode: string | undefined } | { clientUserId: string };

export async function findUserOfPath(
  { storage: { users } }: Service,
  { appId }: Application,
  path: UserOfPath,
): Promise<UserRecord> {
  if ('clientUserId' in path) {
    const { clientUserId } = path;
    const user = missingReason(clientUserId) ? undefined : await users.findByClientUserId(appId, clientUserId);
    if (!user) throw new InnkeeperError('clientUserUnknown');
    return user;
  }
  const userId = readUuid(path.userCode ?? '');
  const user = userId && (await users.find(appId, userId));
  if (!user) throw new InnkeeperError('userUnknown');
  return user;
}

/** Whether the path refers to this user. findUserOfPath refuses a path that names no user. */
export function isUserOfPath({ userId, clientUserId }: UserRecord, path: UserOfPath): boolean {
  if ('clientUserId' in path) return path.clientUserId === clientUserId;
  const named = readUuid(path.userCode ?? '');
  return named === undefined || named === userId;
}

export async function findUser(service: Service, { appId }: Application, userUid: string): Promise<UserRecord> {
  const userId = readUuid(userUid);
  const user = userId && (await service.storage.users.find(appId, userId));
  if (!user) throw new InnkeeperError('userNotFound');
  return user;
}
