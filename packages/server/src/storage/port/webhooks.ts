/** Why a webhook is switched off: by a member, by a 410 of its receiver, or after days without success. */
export type WebhookOff = 'manual' | 'gone' | 'failing';

export type WebhookRecord = {
  webhookId: string;
  appId: number;
  url: string;
  /** None: all types. */
  types: string[];
  description: string;
  /** Requests a second at most; null: no limit. */
  maxPerSecond: number | null;
  sealedSecret: string;
  /** Signs too while the secret is rotated. */
  previousSecret: { sealed: string; expiresAt: number } | null;
  createdAt: number;
  /** null: it is on. */
  off: WebhookOff | null;
  lastSuccessAt: number | null;
  /** When the first try failed since the last success; null: none did. */
  failingSince: number | null;
};

/** Where a webhook reads on: after this event, skipping those that are older than `since`. */
export type ReadPosition = { after: number; since: number };

export type NewWebhook = Omit<WebhookRecord, 'previousSecret' | 'off' | 'lastSuccessAt' | 'failingSince'> & {
  position: ReadPosition;
};

export type WebhookChange = Partial<Pick<WebhookRecord, 'url' | 'types' | 'description' | 'maxPerSecond'>> & {
  enabled?: boolean;
};

/** Of its latest deliveries that have ended, how many failed; and how many have not ended, counted up to a limit. */
export type WebhookHealth = { webhookId: string; recent: number; failed: number; open: number };

export interface WebhookStore {
  create(webhook: NewWebhook, atMost: number): Promise<'created' | 'too-many' | 'application-gone'>;
  /** Oldest first. */
  list(appId: number): Promise<WebhookRecord[]>;
  find(appId: number, webhookId: string): Promise<WebhookRecord | undefined>;
  /** What is not named stays. A webhook that is switched on, or gets another url, starts without failures. */
  update(appId: number, webhookId: string, change: WebhookChange): Promise<'updated' | 'unknown'>;
  /**
   * The secret before signs until `previousExpiresAt`; one before that no more. With `unlessValidAt` nothing changes if that one is
   * valid at that time.
   */
  rotateSecret(
    appId: number,
    webhookId: string,
    sealedSecret: string,
    previousExpiresAt: number,
    unlessValidAt?: number,
  ): Promise<'rotated' | 'previous-valid' | 'unknown'>;
  /** Reads on from there: events that were delivered before are delivered again. */
  replay(appId: number, webhookId: string, position: ReadPosition): Promise<'moved' | 'unknown'>;
  /** With its deliveries. */
  delete(appId: number, webhookId: string): Promise<'deleted' | 'unknown'>;
  health(appId: number, limit: number): Promise<WebhookHealth[]>;
  /** Of all applications: those that are on and have failed since `before` or earlier, and those that the service switched off. */
  listFailing(before: number): Promise<WebhookRecord[]>;
  /** How many are on, of all applications. */
  countOn(): Promise<number>;
}

/**
 * waiting: behind an earlier event of the same user. pending: to be sent at `nextAt`. sending: in flight in the process that
 * holds the lease. The other two have ended.
 */
export type DeliveryState = 'waiting' | 'pending' | 'sending' | 'succeeded' | 'failed';

export type DeliveryRecord = {
  /** A UUID of version 7: they sort by time. */
  deliveryId: string;
  webhookId: string;
  /** null: a test, whose event is nowhere else. */
  eventNo: number | null;
  type: string;
  userId: string | null;
  createdAt: number;
  state: DeliveryState;
  attempts: number;
  nextAt: number | null;
  /** Of the latest try. */
  lastAt: number | null;
  /** HTTP status; null: no response. */
  status: number | null;
  /** Why there was none. */
  problem: string | null;
  milliseconds: number | null;
};

/** Without the body of the response in lists. It goes with the user whom the event is about. */
export type DeliveryWithBody = DeliveryRecord & { body: string | null };

export type NewDelivery = Pick<DeliveryRecord, 'deliveryId' | 'eventNo' | 'type' | 'userId' | 'createdAt'>;

/** What came of a try. */
export type Attempt = {
  deliveryId: string;
  at: number;
  milliseconds: number;
  status: number | null;
  problem: string | null;
  body: string | null;
  /** pending: it is tried again at `nextAt`. */
  state: 'succeeded' | 'failed' | 'pending';
  nextAt: number | null;
};

export type LeasedWebhook = WebhookRecord & { position: ReadPosition };

export type Lease = { owner: string; webhookId: string };

/** As the audit names it. */
type WebhookName = Pick<WebhookRecord, 'appId' | 'webhookId' | 'url'>;

export type DeliveryFilter = { state?: 'pending' | 'succeeded' | 'failed' };

/** The process that holds the lease of a webhook sends its deliveries. Acts with a lost lease do nothing. */
export interface DeliveryStore {
  /** Takes up to `limit` webhooks that are on and that nobody holds. What their last holder was sending is pending. */
  claim(owner: string, lease: { now: number; until: number; limit: number }): Promise<LeasedWebhook[]>;
  /** Answers which webhooks the owner still holds. */
  renew(owner: string, now: number, until: number): Promise<string[]>;
  /** Gives all of them back, with what was not sent. */
  release(owner: string, now: number, webhookId?: string): Promise<void>;
  /**
   * Moves the webhook to this position and adds deliveries, in the order of their events. Answers those to send now; others of
   * the same user wait. An event that was delivered before is delivered again.
   */
  enqueue(lease: Lease, position: ReadPosition, deliveries: readonly NewDelivery[]): Promise<NewDelivery[] | 'lost'>;
  /** Which of the owner's webhooks have something to send. */
  due(owner: string, now: number): Promise<string[]>;
  /** Takes what is due, the longest due first. */
  take(lease: Lease, now: number, limit: number): Promise<DeliveryRecord[] | 'lost'>;
  /**
   * Notes what came of tries, and answers the deliveries that waited for those that have ended, one a user. `off` switches the
   * webhook off.
   */
  settle(lease: Lease, attempts: readonly Attempt[], off: WebhookOff | null): Promise<DeliveryRecord[] | 'lost'>;
  /** A try that has been made already. */
  addTest(webhook: WebhookName, delivery: NewDelivery, attempt: Attempt): Promise<'added' | 'unknown'>;
  /** Makes it pending now, in any state but sending. A test cannot be sent again. */
  resend(webhook: WebhookName, deliveryId: string, now: number): Promise<'resent' | 'unknown' | 'sending' | 'test'>;
  /** Newest first. */
  list(
    webhookId: string,
    filter: DeliveryFilter,
    page: { before: string | null; limit: number },
  ): Promise<DeliveryRecord[]>;
  find(webhookId: string, deliveryId: string): Promise<DeliveryWithBody | undefined>;
}
