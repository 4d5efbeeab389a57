import type { NewSpecialToken, UserRecord } from './users.ts';

export type AccessTokenRecord = {
  /** What identifies the token: the embedded service's `jti`, or a hash of a remote service's token. */
  tokenId: string;
  issuedAt: number;
  expiresAt: number;
};

export interface TokenStore {
  /** Gives a user a new special token; the ones before it stop working. */
  replaceSpecialToken(
    appId: number,
    clientUserId: string,
    token: NewSpecialToken,
  ): Promise<{ outcome: 'issued'; clientUserName: string } | { outcome: 'unknown-user' }>;
  /** The user of a special token, while it is valid. Reading does not spend it. `home`: where it is looked for first (home.ts). */
  findSpecialToken(tokenHash: string, now: number, home?: number): Promise<UserRecord | undefined>;
  /**
   * Spends the special token, adds the access token to its user and tells who that is; or does nothing, also when the
   * access token's id is in use or the user is suspended.
   */
  exchange(
    tokenHash: string,
    now: number,
    accessToken: AccessTokenRecord,
    home?: number,
  ): Promise<UserRecord | 'spent' | 'suspended' | 'token-taken'>;
  /**
   * The owner of a live access token; undefined as soon as the token is revoked or its user deleted. Whether a suspended
   * user may use it is for the caller to say.
   */
  findOwner(tokenId: string, now: number): Promise<UserRecord | undefined>;
  /** A user's live access tokens, newest first. */
  list(userId: string, now: number): Promise<AccessTokenRecord[]>;
  revoke(appId: number, tokenId: string): Promise<void>;
  /** All access tokens of a user, and the special token that was not spent yet. */
  revokeAll(appId: number, userId: string): Promise<void>;
}
