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
  /** Names of settings that go back to their defaults. */
  reset?: readonly string[];
};

export interface ApplicationStore {
  create(application: ApplicationRecord): Promise<'created' | 'taken'>;
  /** All of them, or those named, oldest first. */
  list(appIds?: readonly number[]): Promise<ApplicationRecord[]>;
  findByClientId(clientId: string): Promise<ApplicationRecord | undefined>;
  /** Other settings stay unchanged, even if someone else changes them at the same moment. */
  update(appId: number, change: ApplicationUpdate): Promise<'updated' | 'unknown'>;
  /**
   * The new secret becomes the one without an end; the one before it ends at `previousExpiresAt`; older ones go. With `unlessValidAt`
   * nothing changes if an older one is valid at that time.
   */
  rotateSecret(
    appId: number,
    secret: SecretRecord,
    previousExpiresAt: number,
    unlessValidAt?: number,
  ): Promise<'rotated' | 'previous-valid' | 'unknown'>;
  /** Secrets that have an end stop working now. */
  endPreviousSecrets(appId: number): Promise<'ended' | 'unknown'>;
  /** Notes a use of a secret, unless one was noted after `unlessSince`. */
  touchSecret(secretHash: string, at: number, unlessSince: number): Promise<void>;
  /** When each of an application's secrets was last used, roughly; null: never. */
  secretUses(appId: number): Promise<SecretUse[]>;
  /** With everything that belongs to it. */
  delete(appId: number): Promise<'deleted' | 'unknown'>;
  /** Among millions it takes a second, and holds up no other act. */
  countUsers(appId: number): Promise<number>;
}
