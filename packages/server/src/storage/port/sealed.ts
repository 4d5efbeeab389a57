/** Every column with texts sealed under INNKEEPER_SECRET, and the use whose key opens them (domain/keyring.ts). */
export const SEALED_PLACES = {
  'signing-key': { table: 'signing_keys', column: 'sealed_private_key', use: 'seal' },
  totp: { table: 'accounts', column: 'sealed_totp', use: 'totp' },
  'pending-totp': { table: 'accounts', column: 'pending_totp', use: 'totp' },
  webhook: { table: 'webhooks', column: 'sealed_secret', use: 'webhook' },
  'webhook-previous': { table: 'webhooks', column: 'sealed_previous', use: 'webhook' },
} as const;

export type SealedPlace = keyof typeof SEALED_PLACES;
export type SealedText = { place: SealedPlace; sealed: string };

export interface SealedStore {
  list(): Promise<SealedText[]>;
  /** Replaces texts that are still `from`; returns how many were. No two sealed texts are equal. */
  replace(changes: readonly { place: SealedPlace; from: string; to: string }[]): Promise<number>;
  /**
   * Replaces the fact with the check of the secret, and notifies every replica; 'changed' if it is no longer
   * `expected`.
   */
  switchSecret(fact: string, expected: string, check: string): Promise<'switched' | 'changed'>;
}
