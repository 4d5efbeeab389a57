export type ApplicationRecord = {
  appId: number;
  clientId: string;
  name: string;
  /** Only the settings that differ from their defaults. */
  settings: Record<string, unknown>;
  createdAt: number;
  secrets: SecretRecord[];
};

export type SecretRecord = {
  secretHash: string;
  createdAt: number;
  /** null: valid until it is replaced. */
  expiresAt: number | null;
};

export type SecretUse = { secretHash: string; lastUsedAt: number | null };

export type ApplicationUpdate = {
  name?: string;
  /** Settings to store. */
  set?: Record<string, unknown>;
  /** Names of settings to reset to their defaults. */
  reset?: readonly string[];
};

export interface ApplicationStore {
  create(application: ApplicationRecord): Promise<'created' | 'taken'>;
  /** All applications, or the named ones, oldest first. */
  list(appIds?: readonly number[]): Promise<ApplicationRecord[]>;
  findByClientId(clientId: string): Promise<ApplicationRecord | undefined>;
  /** Other settings are unchanged, even if they are changed concurrently. */
  update(appId: number, change: ApplicationUpdate): Promise<'updated' | 'unknown'>;
  /**
   * The new secret has no expiry; the previous one expires at `previousExpiresAt`; older ones are deleted. With
   * `unlessValidAt`, nothing changes if an older one is valid at that time.
   */
  rotateSecret(
    appId: number,
    secret: SecretRecord,
    previousExpiresAt: number,
    unlessValidAt?: number,
  ): Promise<'rotated' | 'previous-valid' | 'unknown'>;
  /** Revokes all secrets that have an expiry. */
  endPreviousSecrets(appId: number): Promise<'ended' | 'unknown'>;
  /** Records a use of a secret, unless one was recorded after `unlessSince`. */
  touchSecret(secretHash: string, at: number, unlessSince: number): Promise<void>;
  /** When each secret of an application was last used (approximate); null: never. */
  secretUses(appId: number): Promise<SecretUse[]>;
  /** Also deletes everything that belongs to the application. */
  delete(appId: number): Promise<'deleted' | 'unknown'>;
  /** Takes about a second for millions of users, and blocks no other act. */
  countUsers(appId: number): Promise<number>;
}
