import { randomFillSync } from 'node:crypto';
import type { NewSpecialToken, UserRecord } from '../../storage/port.ts';
import type { IdentifiedToken } from '../../tokens/port.ts';
import { homeOfName, homeOfText, textAtHome } from '../../uuid.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Admission } from '../limits/rate-limits.ts';
import { required } from '../required.ts';
import type { Service } from '../service.ts';

export type Credentials =
  | { kind: 'none' }
  | { kind: 'basic'; clientId: string; clientSecret: string }
  | { kind: 'bearer'; accessToken: string }
  | { kind: 'unreadable' };

export async function hasSecretOf(
  { applications, now }: Service,
  application: Application,
  credentials: Credentials,
): Promise<boolean> {
  if (credentials.kind !== 'basic' || credentials.clientId !== application.clientId) return false;
  return applications.hasSecret(application, credentials.clientSecret, now());
}

/** The application of a clientId and clientSecret sent together: 0012 if the id is unknown, then 0011. */
export async function recogniseApplication(
  service: Service,
  clientId: string,
  clientSecret: string,
): Promise<Application> {
  const application = await service.applications.findByClientId(clientId);
  if (!application) throw new InnkeeperError('applicationUnknown');
  if (!(await service.applications.hasSecret(application, clientSecret, service.now()))) {
    throw new InnkeeperError('secretWrong');
  }
  return application;
}

export type UserWithToken = { specialToken: string; clientId: string; clientUserId: string; clientUserName: string };

/**
 * A specialToken names its application in its text, so that one of another application (0006) can be told from a used
 * or unknown one (0008) without storing used ones.
 */
export function makeSpecialToken(
  service: Service,
  application: Application,
  clientUserId: string,
): { text: string; record: NewSpecialToken } {
  const home = homeOfName(application.appId, clientUserId);
  const text = `st_${application.appId}_${textAtHome(home, randomText(32))}`;
  const expiresAt = service.now() + application.settings.specialTokenTtl * 1000;
  return { text, record: { tokenHash: service.keyring.hashToken(text), expiresAt } };
}

/**
 * The application and the home in a specialToken; undefined if the text cannot be one. Tokens from before homes name an
 * arbitrary one.
 */
export function readSpecialToken(specialToken: string): { appId: number; home: number } | undefined {
  const match = /^st_(\d{1,15})_([\w-]{43})$/.exec(specialToken);
  return match ? { appId: Number(match[1]), home: homeOfText(match[2] as string) } : undefined;
}

type IssueSpecialTokenRequest = {
  clientId: unknown;
  clientSecret: unknown;
  clientUserId: unknown;
  admission: Admission;
};

/** A new specialToken for a user who lost or used theirs; earlier unused ones stop working. */
export async function issueSpecialToken(service: Service, request: IssueSpecialTokenRequest): Promise<UserWithToken> {
  const clientId = required(request.clientId, 'clientId', 'clientIdMissing');
  const clientSecret = required(request.clientSecret, 'clientSecret', 'clientSecretMissingOnCreate');
  const clientUserId = required(request.clientUserId, 'clientUserId', 'clientUserIdMissing');
  const application = await recogniseApplication(service, clientId, clientSecret);
  request.admission.admitApplication(application, 'users');

  const token = makeSpecialToken(service, application, clientUserId);
  const issued = await service.storage.tokens.replaceSpecialToken(application.appId, clientUserId, token.record);
  if (issued.outcome === 'unknown-user') throw new InnkeeperError('clientUserUnknown');
  return { specialToken: token.text, clientId, clientUserId, clientUserName: issued.clientUserName };
}

/** Like POST /api/v2/app/special-token, for a manager of the application: earlier unused ones stop working. */
export async function reissueSpecialToken(
  service: Service,
  application: Application,
  { clientUserId }: UserRecord,
): Promise<{ specialToken: string; expiresAt: number }> {
  const { text, record } = makeSpecialToken(service, application, clientUserId);
  const issued = await service.storage.tokens.replaceSpecialToken(application.appId, clientUserId, record);
  if (issued.outcome === 'unknown-user') throw new InnkeeperError('userNotFound');
  return { specialToken: text, expiresAt: record.expiresAt };
}

const POOL_BYTES = 4096;
const pool = Buffer.alloc(POOL_BYTES);
let taken = POOL_BYTES;

/** Random bytes as text, from a pool that is filled at once: calling the generator costs more than the bytes. */
function randomText(bytes: number): string {
  if (taken + bytes > POOL_BYTES) {
    randomFillSync(pool);
    taken = 0;
  }
  const text = pool.toString('base64url', taken, taken + bytes);
  // Erase the secret.
  pool.fill(0, taken, taken + bytes);
  taken += bytes;
  return text;
}

type AuthenticatedUser = UserRecord & { token: IdentifiedToken };

/** Looks up the owner of a live token, with other data of that user. */
export type FindOwner<User extends UserRecord> = (tokenId: string, now: number) => Promise<User | undefined>;

/**
 * The user of an access token. Tokens of a suspended user do not work until the user is resumed. The database is asked
 * every time whether the token is still valid, so that a deleted user's tokens fail immediately in every replica; and
 * it is asked first, so that made-up tokens cost nothing more. The token service, which caches, says whether it is
 * genuine.
 */
export function authenticateUser(service: Service, accessToken: string): Promise<AuthenticatedUser | undefined> {
  return authenticate(service, accessToken, (tokenId, now) => service.storage.tokens.findOwner(tokenId, now));
}

export async function authenticate<User extends UserRecord>(
  service: Service,
  accessToken: string,
  findOwner: FindOwner<User>,
): Promise<(User & { token: IdentifiedToken }) | undefined> {
  const user = await findTokenOwner(service, accessToken, findOwner);
  return user?.status === 'active' ? user : undefined;
}

/** The same for a user of any status. */
async function findTokenOwner<User extends UserRecord>(
  service: Service,
  accessToken: string,
  findOwner: FindOwner<User>,
): Promise<(User & { token: IdentifiedToken }) | undefined> {
  const tokenId = service.tokens.tokenIdOf(accessToken);
  const user = tokenId && (await findOwner(tokenId, service.now()));
  if (!user) return undefined;
  const token = await service.tokens.identify(accessToken);
  return token?.tokenId === tokenId ? { ...user, token } : undefined;
}

/** The live token of a user of this application. Another application's token looks like one that does not exist. */
export async function introspectToken(
  service: Service,
  application: Application,
  accessToken: string,
): Promise<AuthenticatedUser | undefined> {
  const user = await authenticateUser(service, accessToken);
  return user?.appId === application.appId ? user : undefined;
}

/**
 * RFC 7009: a text that is not a token of this application counts as already revoked. A suspended user's token does
 * not.
 */
export async function revokeToken(service: Service, application: Application, accessToken: string): Promise<void> {
  const { tokens } = service.storage;
  const user = await findTokenOwner(service, accessToken, (tokenId, now) => tokens.findOwner(tokenId, now));
  if (user?.appId === application.appId) await tokens.revoke(application.appId, user.token.tokenId);
}
