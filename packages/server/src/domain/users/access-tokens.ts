import type { UserRecord } from '../../storage/port.ts';
import type { IdentifiedToken } from '../../tokens/port.ts';
import type { Application } from '../applications/application.ts';
import type { Service } from '../service.ts';

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
