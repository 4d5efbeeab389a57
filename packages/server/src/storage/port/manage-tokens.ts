import type { Person } from './accounts.ts';

export type ManageTokenRecord = {
  tokenId: string;
  tokenHash: string;
  /** The owner, with whom it is deleted; null: the operator's, created on the command line. */
  accountId: string | null;
  name: string;
  /** null: all current and future applications. Deleted ones are removed from the list. */
  appIds: number[] | null;
  access: 'read' | 'texts' | 'users' | 'write' | 'own';
  createdAt: number;
  expiresAt: number;
  /** Approximate. */
  lastUsedAt: number | null;
};

export interface ManageTokenStore {
  create(token: ManageTokenRecord): Promise<'created' | 'application-gone' | 'account-gone'>;
  /** All of them, or those of an account; includes expired ones, oldest first. */
  list(accountId?: string): Promise<ManageTokenRecord[]>;
  /** While it is valid, with its account. */
  findByHash(tokenHash: string, now: number): Promise<{ token: ManageTokenRecord; owner: Person | null } | undefined>;
  /** Any token, or only if it belongs to this account. */
  revoke(tokenId: string, accountId?: string): Promise<'revoked' | 'unknown'>;
  /** Records a use, unless one was recorded after `unlessSince`. */
  touch(tokenId: string, at: number, unlessSince: number): Promise<void>;
}
