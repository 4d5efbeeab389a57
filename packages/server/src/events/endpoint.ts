import { type FeedItem, toPublicEvents } from '../domain/events/public-event.ts';
import type { Service } from '../domain/service.ts';
import { judgeTry, type Sent, type SentEvent, sendEvent, switchOffReason } from '../domain/webhooks/send-event.ts';
import type { Attempt, EventType, LeasedWebhook, NewDelivery, StoredEvent, WebhookRecord } from '../storage/port.ts';
import { orderedUuid } from '../uuid.ts';

/** How far unused time can be caught up on: a timer that fires late must not lower the rate. */
const CATCH_UP_MS = 100;

/** Spreads requests evenly over a second. */
export class Pace {
  #freeAt = 0;

  /** 0: send now; it is counted. Otherwise, milliseconds until the next try. */
  take(perSecond: number | null, now = performance.now()): number {
    if (perSecond === null) return 0;
    // A raised limit also applies to the request that is waiting.
    const freeAt = Math.min(this.#freeAt, now + 1000 / perSecond);
    if (freeAt > now) return Math.ceil(freeAt - now);
    this.#freeAt = Math.max(freeAt, now - CATCH_UP_MS) + 1000 / perSecond;
    return 0;
  }
}

/** Maximum requests in flight; never two for the same user. */
const CONCURRENCY = 32;
/** Maximum events in memory. */
const PAGE = 128;
/** After this many failures in a row, one try every PROBE_MS until one succeeds. */
const FAILURES = 8;
const PROBE_MS = 10_000;
/** How often to store a position that only moved past events of others. */
const KEEP_POSITION_MS = 10_000;

export type DispatchParts = Pick<
  Service,
  'storage' | 'applications' | 'catalogs' | 'keyring' | 'webhookSender' | 'now'
>;

/** After waiting this long, an event is read again: its user may have been deleted meanwhile. */
const FRESH_MS = 1_000;

type Ready = { deliveryId: string; attempts: number; eventNo: number; event: SentEvent | undefined; readAt: number };

/** A webhook whose lease this process holds: reads its events, sends them and records the results. */
export class Endpoint {
  readonly #parts: DispatchParts;
  readonly #owner: string;
  readonly #onFailure: (error: unknown) => void;
  readonly #onAttempt: (attempt: Attempt) => void;
  #webhook: LeasedWebhook;
  /** On the monotonic clock; afterwards another process may send. */
  #leasedUntil: number;
  #ready: Ready[] = [];
  #results: Attempt[] = [];
  #inFlight = 0;
  #failures = 0;
  #probeAt = 0;
  #keptAt = 0;
  #hasNews = true;
  #hasDue = true;
  #prefersDue = true;
  #working: Promise<void> | undefined;
  /** Time of the last event read, while more are waiting. */
  #behindAt: number | undefined;
  #isOver = false;
  #isUnsure = false;
  #idle: (() => void) | undefined;
  readonly #pace = new Pace();
  #paused: NodeJS.Timeout | undefined;

  constructor(
    parts: DispatchParts,
    webhook: LeasedWebhook,
    lease: {
      owner: string;
      until: number;
      onFailure: (error: unknown) => void;
      onAttempt: (attempt: Attempt) => void;
    },
  ) {
    this.#parts = parts;
    this.#webhook = webhook;
    this.#owner = lease.owner;
    this.#leasedUntil = lease.until;
    this.#onFailure = lease.onFailure;
    this.#onAttempt = lease.onAttempt;
  }

  get appId(): number {
    return this.#webhook.appId;
  }

  /** The last event read. */
  get place(): number {
    return this.#webhook.position.after;
  }

  get webhookId(): string {
    return this.#webhook.webhookId;
  }

  /** Switched off or taken by another process: this endpoint can be dropped. */
  get isOver(): boolean {
    return this.#isOver && this.#inFlight === 0 && this.#working === undefined;
  }

  /** A call to the database failed, and what it did is unknown: the webhook must be released and claimed again. */
  get isUnsure(): boolean {
    return this.#isUnsure;
  }

  /** Age of the last event read; 0 when all are read. */
  lagMs(now: number): number {
    return this.#behindAt === undefined || this.#isOver ? 0 : Math.max(0, now - this.#behindAt);
  }

  extend(until: number): void {
    this.#leasedUntil = until;
  }

  change(webhook: WebhookRecord | undefined): void {
    if (!webhook || webhook.off !== null) this.#isOver = true;
    else this.#webhook = { ...this.#webhook, ...webhook };
  }

  /** Called when there may be events to read or deliveries to send. */
  look({ news = false, due = false }): void {
    this.#hasNews ||= news;
    this.#hasDue ||= due;
    if (this.#working) return;
    this.#working = this.#work()
      .catch((error: unknown) => {
        this.#isOver = true;
        this.#isUnsure = true;
        this.#onFailure(error);
      })
      .finally(() => {
        this.#working = undefined;
        if (this.#inFlight === 0) this.#idle?.();
      });
  }

  /** Stops sending, waits for requests in flight, and records their results. */
  async close(): Promise<void> {
    this.#isOver = true;
    if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    await this.#working;
    if (this.#results.length > 0) await this.#settle();
  }

  get #lease() {
    return { owner: this.#owner, webhookId: this.#webhook.webhookId };
  }

  get #isFailing(): boolean {
    return this.#failures >= FAILURES;
  }

  /** How many more deliveries can be accepted now. */
  get #room(): number {
    if (this.#isOver || performance.now() > this.#leasedUntil) return 0;
    const held = this.#ready.length + this.#inFlight;
    if (this.#isFailing) return held === 0 && performance.now() >= this.#probeAt ? 1 : 0;
    // Deliveries that are accepted but have to wait would be late if this process died.
    return Math.min(PAGE, this.#webhook.maxPerSecond ?? PAGE) - held;
  }

  /**
   * Runs one database call at a time, alternating, so that recording results does not hold up new events. Requests
   * continue meanwhile, so the more there are, the more results share a call.
   */
  async #work(): Promise<void> {
    for (;;) {
      const hasResults = this.#results.length > 0;
      if (hasResults) await this.#settle();
      if (this.#room > 0 && this.#hasDue && (this.#prefersDue || !this.#hasNews)) await this.#take();
      else if (this.#room > 0 && this.#hasNews) await this.#read();
      else if (!hasResults) return;
    }
  }

  async #take(): Promise<void> {
    const { storage, now } = this.#parts;
    this.#prefersDue = false;
    const limit = this.#room;
    const taken = await storage.deliveries.take(this.#lease, now(), limit);
    if (taken === 'lost') return this.#lose();
    this.#hasDue = taken.length === limit;
    await this.#prepare(taken);
  }

  async #read(): Promise<void> {
    const { storage, now } = this.#parts;
    const { appId, types, position } = this.#webhook;
    this.#prefersDue = true;
    this.#hasNews = false;
    const page = await storage.events.read(appId, position.after, {
      limit: this.#room,
      types: types.length === 0 ? undefined : (types as EventType[]),
    });
    if (page.outcome === 'expired') {
      this.#webhook.position = { ...position, after: page.oldest };
      this.#hasNews = true;
      return;
    }
    const next = { ...position, after: page.next };
    const events = page.items.filter(({ at }) => at >= position.since);
    const isWorthKeeping = performance.now() >= this.#keptAt + KEEP_POSITION_MS && page.next !== position.after;
    if (events.length > 0 || isWorthKeeping) {
      const created = events.map(({ no, type, userId }) => newDelivery(no, type, userId, now()));
      const toSend = await storage.deliveries.enqueue(this.#lease, next, created);
      if (toSend === 'lost') return this.#lose();
      this.#keptAt = performance.now();
      await this.#enqueue(
        toSend.map((delivery) => ({ ...delivery, attempts: 0 })),
        events,
      );
    }
    this.#webhook.position = next;
    this.#hasNews ||= page.more;
    this.#behindAt = page.more ? (page.items.at(-1)?.at ?? this.#behindAt) : undefined;
  }

  /** Reads the events of deliveries stored earlier. If the user was deleted since, they have only ids. */
  async #prepare(deliveries: readonly (NewDelivery & { attempts: number })[]): Promise<void> {
    const nos = deliveries.flatMap(({ eventNo }) => (eventNo === null ? [] : [eventNo]));
    if (nos.length === 0) return;
    await this.#enqueue(deliveries, await this.#find(nos));
  }

  #find(nos: readonly number[]): Promise<StoredEvent[]> {
    return this.#parts.storage.events.find(this.#webhook.appId, nos);
  }

  async #enqueue(
    deliveries: readonly (NewDelivery & { attempts: number })[],
    events: readonly StoredEvent[],
  ): Promise<void> {
    const readAt = performance.now();
    const eventByNo = await this.#write(events);
    for (const { deliveryId, eventNo, attempts } of deliveries) {
      const no = eventNo ?? 0;
      this.#ready.push({ deliveryId, attempts, eventNo: no, event: eventByNo.get(no), readAt });
    }
    this.#send();
  }

  /** As they are sent, by number. */
  async #write(events: readonly StoredEvent[]): Promise<Map<number, SentEvent>> {
    const { appId } = this.#webhook;
    const application = await this.#parts.applications.findById(appId);
    if (!application) throw new Error(`Application ${appId} has a webhook but cannot be found.`);
    const items = await toPublicEvents(this.#parts, application, events);
    return new Map(items.map((item) => [item.no, toSent(item)]));
  }

  async #settle(): Promise<void> {
    const { storage, now } = this.#parts;
    const results = this.#results;
    this.#results = [];
    const off = switchOffReason(this.#webhook, results, now());
    const freed = await storage.deliveries.settle(this.#lease, results, off).catch((error: unknown) => {
      this.#results.unshift(...results);
      throw error;
    });
    if (freed === 'lost') return this.#lose();
    const hasSucceeded = results.some(({ state }) => state === 'succeeded');
    this.#webhook.failingSince = hasSucceeded ? null : (this.#webhook.failingSince ?? now());
    if (off !== null) this.#isOver = true;
    else await this.#prepare(freed);
  }

  #lose(): void {
    this.#isOver = true;
    this.#ready = [];
    this.#results = [];
  }

  #send(): void {
    const most = this.#isFailing ? 1 : CONCURRENCY;
    while (!this.#isOver && this.#inFlight < most && performance.now() <= this.#leasedUntil) {
      if (this.#ready.length === 0) return;
      const waitMs = this.#pace.take(this.#webhook.maxPerSecond);
      if (waitMs > 0) {
        this.#sendIn(waitMs);
        return;
      }
      const next = this.#ready.shift() as Ready;
      this.#inFlight++;
      if (this.#isFailing) this.#probeAt = performance.now() + PROBE_MS;
      void this.#try(next);
    }
  }

  /**
   * The webhook's secret cannot be unsealed: another process, or a later try, may have the right INNKEEPER_SECRET. Or
   * the event could not be read again.
   */
  readonly #notSent = (error: unknown): Sent => {
    this.#onFailure(error);
    return NOT_SENT;
  };

  #sendIn(waitMs: number): void {
    this.#paused ??= setTimeout(() => {
      this.#paused = undefined;
      this.#send();
    }, waitMs).unref();
  }

  /** Never rejects: no one waits for it. */
  async #try(ready: Ready): Promise<void> {
    const sent = await this.#post(ready).catch(this.#notSent);
    const attempt = judgeTry(ready, sent, this.#parts.now());
    this.#failures = attempt.state === 'succeeded' ? 0 : this.#failures + 1;
    this.#onAttempt(attempt);
    this.#results.push(attempt);
    this.#inFlight--;
    this.#send();
    this.look({});
  }

  async #post({ eventNo, event: read, readAt }: Ready): Promise<Sent> {
    const { webhookSender: sender, keyring, now } = this.#parts;
    const isFresh = performance.now() <= readAt + FRESH_MS;
    const event = isFresh ? read : (await this.#write(await this.#find([eventNo]))).get(eventNo);
    return event ? sendEvent({ sender, keyring }, this.#webhook, event, now()) : EXPIRED;
  }
}

const NOT_SENT: Sent = { status: null, problem: 'unreachable', body: null, milliseconds: 0 };
/** The event was purged before it could be sent. */
const EXPIRED: Sent = { status: null, problem: 'event-expired', body: null, milliseconds: 0 };

function toSent({ event }: FeedItem): SentEvent {
  return { id: event.id, body: JSON.stringify(event) };
}

function newDelivery(eventNo: number, type: string, userId: string | null, createdAt: number): NewDelivery {
  return { deliveryId: orderedUuid(), eventNo, type, userId, createdAt };
}
