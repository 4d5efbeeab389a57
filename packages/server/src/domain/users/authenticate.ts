import type { UserRecord } from '../../storage/port.ts';
import type { IdentifiedToken } from '../../tokens/port.ts';
import type { Service } from '../service.ts';

export type AuthenticatedUser = UserRecord & { token: IdentifiedToken };

/** Asks the database for the owner of a live token, and for other data of that user. */
export type FindOwner<User extends UserRecord> = (tokenId: string, now: number) => Promise<User | undefined>;

/**
 * The user of an access token. One who is suspended has none that works until they are resumed. Whether the token still stands is asked of the database every time, so
 * that a deleted user's tokens fail at once in every replica; and first, so that made-up tokens cost
 * nothing more. Whether it is genuine is asked of the token service, which remembers.
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

/** The same for any status of the user. */
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
