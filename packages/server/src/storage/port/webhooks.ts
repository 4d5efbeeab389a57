/** Why a webhook is switched off: by a member, by a 410 of its receiver, or after days without success. */
export type WebhookOff = 'manual' | 'gone' | 'failing';

export type WebhookRecord = {
  webhookId: string;
  appId: number;
  url: string;
  /** Empty: all types. */
  types: string[];
  description: string;
  /** Maximum requests per second; null: no limit. */
  maxPerSecond: number | null;
  sealedSecret: string;
  /** Also signs, until it expires. */
  previousSecret: { sealed: string; expiresAt: number } | null;
  createdAt: number;
  /** null: switched on. */
  off: WebhookOff | null;
  lastSuccessAt: number | null;
  /** When an attempt first failed since the last success; null: none did. */
  failingSince: number | null;
};

/** Where a webhook continues to read: after this event, skipping events older than `since`. */
export type ReadPosition = { after: number; since: number };

export type NewWebhook = Omit<WebhookRecord, 'previousSecret' | 'off' | 'lastSuccessAt' | 'failingSince'> & {
  position: ReadPosition;
};

export type WebhookChange = Partial<Pick<WebhookRecord, 'url' | 'types' | 'description' | 'maxPerSecond'>> & {
  enabled?: boolean;
};

/** Of its latest finished deliveries, how many failed; and how many are unfinished, counted up to a limit. */
export type WebhookHealth = { webhookId: string; recent: number; failed: number; open: number };

export interface WebhookStore {
  create(webhook: NewWebhook, atMost: number): Promise<'created' | 'too-many' | 'application-gone'>;
  /** Oldest first. */
  list(appId: number): Promise<WebhookRecord[]>;
  find(appId: number, webhookId: string): Promise<WebhookRecord | undefined>;
  /** Omitted members do not change. A webhook that is switched on, or gets another url, starts without failures. */
  update(appId: number, webhookId: string, change: WebhookChange): Promise<'updated' | 'unknown'>;
  /**
   * The previous secret also signs until `previousExpiresAt`; an older one stops signing. With `unlessValidAt`, nothing
   * changes if the older one is valid at that time.
   */
  rotateSecret(
    appId: number,
    webhookId: string,
    sealedSecret: string,
    previousExpiresAt: number,
    unlessValidAt?: number,
  ): Promise<'rotated' | 'previous-valid' | 'unknown'>;
  /** Continues from this position: events that were delivered before are delivered again. */
  replay(appId: number, webhookId: string, position: ReadPosition): Promise<'moved' | 'unknown'>;
  /** Also deletes its deliveries. */
  delete(appId: number, webhookId: string): Promise<'deleted' | 'unknown'>;
  health(appId: number, limit: number): Promise<WebhookHealth[]>;
  /**
   * In all applications: webhooks that are on and have failed since `before` or earlier, and those that the service
   * switched off.
   */
  listFailing(before: number): Promise<WebhookRecord[]>;
  /** The number of webhooks that are on, in all applications. */
  countOn(): Promise<number>;
}

/**
 * waiting: behind an earlier event of the same user. pending: to be sent at `nextAt`. sending: in flight in the process
 * that holds the lease. succeeded and failed are final.
 */
export type DeliveryState = 'waiting' | 'pending' | 'sending' | 'succeeded' | 'failed';

export type DeliveryRecord = {
  /** A version 7 UUID, which sorts by time. */
  deliveryId: string;
  webhookId: string;
  /** null: a test, whose event is not stored elsewhere. */
  eventNo: number | null;
  type: string;
  userId: string | null;
  createdAt: number;
  state: DeliveryState;
  attempts: number;
  nextAt: number | null;
  /** Of the latest attempt. */
  lastAt: number | null;
  /** HTTP status; null: no response. */
  status: number | null;
  /** Why there was no response. */
  problem: string | null;
  milliseconds: number | null;
};

/** With the body of the response, which lists omit. It is deleted with the user that the event is about. */
export type DeliveryWithBody = DeliveryRecord & { body: string | null };

export type NewDelivery = Pick<DeliveryRecord, 'deliveryId' | 'eventNo' | 'type' | 'userId' | 'createdAt'>;

/** The result of an attempt. */
export type Attempt = {
  deliveryId: string;
  at: number;
  milliseconds: number;
  status: number | null;
  problem: string | null;
  body: string | null;
  /** pending: it is retried at `nextAt`. */
  state: 'succeeded' | 'failed' | 'pending';
  nextAt: number | null;
};

export type LeasedWebhook = WebhookRecord & { position: ReadPosition };

export type Lease = { owner: string; webhookId: string };

/** For the audit log. */
type WebhookName = Pick<WebhookRecord, 'appId' | 'webhookId' | 'url'>;

export type DeliveryFilter = { state?: 'pending' | 'succeeded' | 'failed' };

/** Only the process that holds the lease of a webhook sends its deliveries. Acts with a lost lease do nothing. */
export interface DeliveryStore {
  /**
   * Claims up to `limit` webhooks that are on and not leased. Deliveries that their last owner was sending become
   * pending.
   */
  claim(owner: string, lease: { now: number; until: number; limit: number }): Promise<LeasedWebhook[]>;
  /** Returns the webhooks that the owner still holds. */
  renew(owner: string, now: number, until: number): Promise<string[]>;
  /** Releases all leases, and unsent deliveries. */
  release(owner: string, now: number, webhookId?: string): Promise<void>;
  /**
   * Moves the webhook to this position and adds deliveries, in the order of their events. Returns those to send now;
   * others of the same user wait. An event that was delivered before is delivered again.
   */
  enqueue(lease: Lease, position: ReadPosition, deliveries: readonly NewDelivery[]): Promise<NewDelivery[] | 'lost'>;
  /** Which of the owner's webhooks have something to send. */
  due(owner: string, now: number): Promise<string[]>;
  /** Takes due deliveries, the longest overdue first. */
  take(lease: Lease, now: number, limit: number): Promise<DeliveryRecord[] | 'lost'>;
  /**
   * Records the results of attempts, and returns the deliveries that waited for those that have ended, one per user.
   * `off` switches the webhook off.
   */
  settle(lease: Lease, attempts: readonly Attempt[], off: WebhookOff | null): Promise<DeliveryRecord[] | 'lost'>;
  /** Records an attempt that has already been made. */
  addTest(webhook: WebhookName, delivery: NewDelivery, attempt: Attempt): Promise<'added' | 'unknown'>;
  /** Makes a delivery pending now, in any state but sending. A test cannot be sent again. */
  resend(webhook: WebhookName, deliveryId: string, now: number): Promise<'resent' | 'unknown' | 'sending' | 'test'>;
  /** Newest first. */
  list(
    webhookId: string,
    filter: DeliveryFilter,
    page: { before: string | null; limit: number },
  ): Promise<DeliveryRecord[]>;
  find(webhookId: string, deliveryId: string): Promise<DeliveryWithBody | undefined>;
}
