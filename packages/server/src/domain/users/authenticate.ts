import type { UserRecord } from '../../storage/port.ts';
import type { IdentifiedToken } from '../../tokens/port.ts';
import type { Service } from '../service.ts';

export type AuthenticatedUser = UserRecord & { token: IdentifiedToken };

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
export async function findTokenOwner<User extends UserRecord>(
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
