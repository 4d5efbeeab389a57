import type { AccountStore, AttemptStore, SecondFactorStore, SessionStore } from './port/accounts.ts';
import type { ActivityStore, AuditStore, RequestLogStore } from './port/activity.ts';
import type { ApplicationStore } from './port/applications.ts';
import type { CatalogStore } from './port/catalogs.ts';
import type { ChangeStore } from './port/changes.ts';
import type { DraftStore } from './port/drafts.ts';
import type { StorageFigures } from './port/driver.ts';
import type { FactStore } from './port/facts.ts';
import type { ManageTokenStore } from './port/manage-tokens.ts';
import type { InvitationStore, MemberStore } from './port/members.ts';
import type { SelectionStore } from './port/selections.ts';
import type { SigningKeyStore } from './port/signing-keys.ts';
import type { TokenStore } from './port/tokens.ts';
import type { TransferStore } from './port/transfer.ts';
import type { TrialStore } from './port/trials.ts';
import type { UserStore } from './port/users.ts';

export * from './port/accounts.ts';
export * from './port/activity.ts';
export * from './port/applications.ts';
export * from './port/backup.ts';
export * from './port/catalogs.ts';
export * from './port/changes.ts';
export * from './port/drafts.ts';
export * from './port/driver.ts';
export * from './port/facts.ts';
export * from './port/manage-tokens.ts';
export * from './port/members.ts';
export * from './port/selections.ts';
export * from './port/signing-keys.ts';
export * from './port/tokens.ts';
export * from './port/transfer.ts';
export * from './port/trials.ts';
export * from './port/users.ts';

/**
 * What the rules need of a database, as whole atomic acts: each call is one transaction, and an
 * answer means that it is on disk. Outcomes are returned, never thrown; what is thrown is
 * StorageUnavailable (try again later) or a defect.
 *
 * Identifiers cross this port as canonical strings: UUIDs in lower case, hashes in lower-case hex,
 * times in milliseconds since the epoch.
 */
export interface Storage {
  readonly kind: 'sqlite' | 'postgres';
  readonly applications: ApplicationStore;
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly manageTokens: ManageTokenStore;
  readonly accounts: AccountStore;
  readonly secondFactors: SecondFactorStore;
  readonly attempts: AttemptStore;
  readonly sessions: SessionStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly signingKeys: SigningKeyStore;
  readonly catalogs: CatalogStore;
  readonly drafts: DraftStore;
  readonly selections: SelectionStore;
  readonly trials: TrialStore;
  readonly transfer: TransferStore;
  readonly changes: ChangeStore;
  readonly facts: FactStore;
  readonly activity: ActivityStore;
  readonly requestLog: RequestLogStore;
  readonly audit: AuditStore;
  /** Rejects with StorageUnavailable when the database does not answer. */
  ping(): Promise<void>;
  /** Removes a bounded number of rows whose time has passed; answers how many were removed. */
  purgeExpired(now: number): Promise<number>;
  figures(): StorageFigures;
  /** Waits for every accepted act, then lets go of the database. */
  close(): Promise<void>;
}

export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

/** The address of the database cannot be read: trying again does not help. What it is may hold a password. */
export class DatabaseUrlInvalid extends Error {
  override name = 'DatabaseUrlInvalid';
}
