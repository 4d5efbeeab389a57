import type { Person } from './accounts.ts';

export type ManageTokenRecord = {
  tokenId: string;
  tokenHash: string;
  /** Whose it is, and with whom it goes; null: the operator's, made on the command line. */
  accountId: string | null;
  name: string;
  /** null: all applications, those of the future too. Of deleted ones nothing is left here. */
  appIds: number[] | null;
  access: 'read' | 'texts' | 'users' | 'write' | 'own';
  createdAt: number;
  expiresAt: number;
  /** Roughly. */
  lastUsedAt: number | null;
};

export interface ManageTokenStore {
  create(token: ManageTokenRecord): Promise<'created' | 'application-gone' | 'account-gone'>;
  /** All of them, or those of an account; expired ones too, oldest first. */
  list(accountId?: string): Promise<ManageTokenRecord[]>;
  /** While it is valid, with its account. */
  findByHash(tokenHash: string, now: number): Promise<{ token: ManageTokenRecord; owner: Person | null } | undefined>;
  /** Anybody's, or only if it is of this account. */
  revoke(tokenId: string, accountId?: string): Promise<'revoked' | 'unknown'>;
  /** Notes a use, unless one was noted after `unlessSince`. */
  touch(tokenId: string, at: number, unlessSince: number): Promise<void>;
}
