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
import type { DatabaseKind } from './driver.ts';
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
import type { TokenStore, TransferStore, TrialStore, UserStore } from './users.ts';
import type { DeliveryStore, WebhookStore } from './webhooks.ts';

/**
 * What the rules need of a database, as whole atomic acts: each call is one transaction, and an
 * answer means that it is on disk. Outcomes are returned, never thrown; what is thrown is
 * StorageUnavailable (try again later) or a defect.
 *
 * Identifiers cross this port as canonical strings: UUIDs in lower case, hashes in lower-case hex,
 * times in milliseconds since the epoch.
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

/** An act of the port, to be carried out where it can be told in the audit. */
export type ActCall = { store: keyof Stores; act: string; args: unknown[] };

export interface Storage extends Stores {
  readonly kind: DatabaseKind;
  /**
   * Carries out an act in one transaction with the audit entries that audited-acts.ts has for it: neither is there without the other.
   * Answers what the act does.
   */
  audited(by: Authorship, call: ActCall): Promise<unknown>;
  /** Rejects with StorageUnavailable when the database does not answer. */
  ping(): Promise<void>;
  /** What is wrong with the database at the moment, the worst first. Costs nothing to ask. */
  problems(): readonly Problem[];
  /** Removes a bounded number of rows whose time has passed; answers how many were removed. */
  purgeExpired(now: number): Promise<number>;
  /** How many acts are asked for and not done, reads included. Costs nothing to ask. */
  waitingActs(): number;
  figures(): StorageFigures;
  /** Waits for every accepted act, then lets go of the database. */
  close(): Promise<void>;
}

export type StorageFigures = {
  /** Acts per transaction since the start: how well writes share a flush. */
  committedActs: number;
  committedBatches: number;
  connections: { open: number; idle: number; waiting: number };
  /** The size of the write-ahead log; with PostgreSQL it is the server's own. */
  logBytes?: number;
};
