import type {
  AccountStore,
  AttemptStore,
  InvitationStore,
  ManageTokenStore,
  MemberStore,
  SecondFactorStore,
  SessionStore,
} from './accounts.ts';
import type { ActivityStore, AuditStore, RequestLogStore } from './activity-and-audit.ts';
import type { ApplicationStore } from './applications.ts';
import type { CatalogStore, DraftStore, TextStateStore } from './catalogs.ts';
import type { EventStore } from './events.ts';
import type { SelectionStore } from './selections.ts';
import type {
  ChangeStore,
  ClockStore,
  FactStore,
  Problem,
  RateLimitStore,
  SealedStore,
  SigningKeyStore,
} from './service-state.ts';
import type { TransferStore } from './transfer.ts';
import type { TokenStore, TrialStore, UserStore } from './users.ts';
import type { DeliveryStore, WebhookStore } from './webhooks.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/**
 * The port to the database. Each call is one atomic act: one transaction, which is on disk when the call returns.
 * Outcomes are returned, never thrown; it throws only StorageUnavailable (try again later) or because of a defect.
 * Identifiers are canonical strings: UUIDs in lower case, hashes in lower-case hex, times in milliseconds since the
 * epoch.
 */
export interface Stores {
  readonly applications: ApplicationStore;
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly manageTokens: ManageTokenStore;
  readonly accounts: AccountStore;
  readonly secondFactors: SecondFactorStore;
  readonly attempts: AttemptStore;
  readonly rateLimits: RateLimitStore;
  readonly sessions: SessionStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly signingKeys: SigningKeyStore;
  readonly catalogs: CatalogStore;
  readonly drafts: DraftStore;
  readonly textStates: TextStateStore;
  readonly selections: SelectionStore;
  readonly trials: TrialStore;
  readonly transfer: TransferStore;
  readonly changes: ChangeStore;
  readonly facts: FactStore;
  readonly sealed: SealedStore;
  readonly events: EventStore;
  readonly clock: ClockStore;
  readonly activity: ActivityStore;
  readonly requestLog: RequestLogStore;
  readonly audit: AuditStore;
  readonly webhooks: WebhookStore;
  readonly deliveries: DeliveryStore;
}

/** Who makes a change, and when. */
export type Authorship = { actor: string; at: number };

/** An act of the port, to be run together with its audit entries. */
export type ActCall = { store: keyof Stores; act: string; args: unknown[] };

export interface Storage extends Stores {
  readonly kind: DatabaseKind;
  /**
   * Runs an act in one transaction with the audit entries that audited-storage.ts defines for it, and returns its
   * result. Neither is stored without the other.
   */
  audited(by: Authorship, call: ActCall): Promise<unknown>;
  /** Rejects with StorageUnavailable if the database does not respond. */
  ping(): Promise<void>;
  /** Current problems of the database, the worst first. Costs nothing to call. */
  problems(): readonly Problem[];
  /** Deletes a bounded number of expired rows; returns how many. */
  purgeExpired(now: number): Promise<number>;
  /** The number of acts in flight, reads included. Costs nothing to call. */
  waitingActs(): number;
  figures(): StorageFigures;
  /** Waits for all accepted acts, then closes the database. */
  close(): Promise<void>;
}

export type StorageFigures = {
  /** Acts per transaction since the start: how well writes share a flush. */
  committedActs: number;
  committedBatches: number;
  connections: { open: number; idle: number; waiting: number };
  /** Size of the write-ahead log; undefined for PostgreSQL, which manages its own. */
  logBytes?: number;
};
