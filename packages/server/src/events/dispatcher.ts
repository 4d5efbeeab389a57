import { randomUUID } from 'node:crypto';
import { outsideSpans } from '../domain/tracing.ts';
import type { WebhookFigures } from '../domain/webhooks/send-event.ts';
import type { Attempt } from '../storage/port.ts';
import { type DispatchParts, Endpoint } from './endpoint.ts';

/** How long a killed process keeps its webhooks from others. */
const LEASE_MS = 25_000;
const RENEW_MS = 8_000;
const CLAIM_MS = 1_000;
/** A few at a time, so that replicas that start together share the webhooks. */
const CLAIMED_AT_ONCE = 4;
/** How often to check the feed for new events, and the database for deliveries that are due. */
const POLL_MS = 50;
const DUE_MS = 500;
/** An event can become visible this long after its number was assigned. */
const SETTLING_MS = 3_000;
/** After a stalled commit it can take longer, so every webhook looks for events this often. */
const READ_ALL_MS = 5_000;
const CLOSE_MS = 3_000;

/**
 * Sends events to webhooks. Each process has one, for the webhooks it holds a lease on. Without webhooks it does
 * nothing. Deliveries are in the database before they are sent, so nothing is lost if a process dies.
 */
export class WebhookDispatcher {
  readonly #parts: DispatchParts;
  readonly #onFailure: (error: unknown) => void;
  readonly #owner = randomUUID();
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #attempts = { succeeded: 0, retried: 0, failed: 0 };
  #on = 0;
  #timer: NodeJS.Timeout | undefined;
  #ticking: Promise<void> | undefined;
  #claimAt = 0;
  #renewAt = 0;
  #releaseAt = 0;
  #dueAt = 0;
  #newest = -1;
  #newsUntil = 0;
  #readAllAt = 0;
  #isFailing = false;
  #isClosed = false;

  constructor(parts: DispatchParts, onFailure: (error: unknown) => void) {
    this.#parts = parts;
    this.#onFailure = onFailure;
  }

  /** Called when webhooks were changed, by any process. */
  async reload(): Promise<void> {
    const { webhooks } = this.#parts.storage;
    this.#on = await webhooks.countOn();
    for (const endpoint of this.#endpoints.values()) {
      endpoint.change(await webhooks.find(endpoint.appId, endpoint.webhookId));
    }
    this.#claimAt = 0;
    if (this.#isClosed) return;
    if (this.#on > 0) {
      this.#timer ??= setInterval(() => outsideSpans(() => this.#tick()), POLL_MS).unref();
      return;
    }
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  figures(): WebhookFigures {
    const now = this.#parts.now();
    const lags = [...this.#endpoints.values()].map((endpoint) => endpoint.lagMs(now));
    return { attempts: { ...this.#attempts }, lagMs: Math.max(0, ...lags) };
  }

  /** Requests in flight get a few seconds; the rest is released for another process or the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#ticking;
    const endpoints = [...this.#endpoints.values()];
    if (endpoints.length === 0) return;
    const closed = Promise.allSettled(endpoints.map((endpoint) => endpoint.close()));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([closed, new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_MS)))]);
    clearTimeout(timer);
    await this.#parts.storage.deliveries.release(this.#owner, this.#parts.now()).catch(this.#onFailure);
  }

  #tick(): void {
    this.#ticking ??= this.#step()
      .then(
        () => {
          this.#isFailing = false;
        },
        (error) => this.#fail(error),
      )
      .finally(() => {
        this.#ticking = undefined;
      });
  }

  /** Reports only the first of several failures in a row: an outage would fill the log. */
  #fail(error: unknown): void {
    if (!this.#isFailing && !this.#isClosed) this.#onFailure(error);
    this.#isFailing = true;
  }

  async #step(): Promise<void> {
    const at = performance.now();
    if (this.#parts.keyring.master.isOutdated) return this.#giveBack();
    for (const [webhookId, endpoint] of this.#endpoints)
      if (endpoint.isOver && !endpoint.isUnsure) this.#endpoints.delete(webhookId);
    if (at >= this.#renewAt && this.#endpoints.size > 0) await this.#renew();
    if (at >= this.#claimAt && this.#endpoints.size < this.#on) await this.#claim();
    if (this.#endpoints.size === 0) return;
    if (at >= this.#releaseAt) await this.#releaseUnsure();
    const { storage, now } = this.#parts;
    if (at >= this.#dueAt) {
      this.#dueAt = at + DUE_MS;
      const due = await storage.deliveries.due(this.#owner, now());
      for (const webhookId of due) this.#endpoints.get(webhookId)?.look({ due: true });
    }
    const newest = await storage.events.newest();
    if (newest !== this.#newest) this.#newsUntil = at + SETTLING_MS;
    this.#newest = newest;
    if (at >= this.#readAllAt) {
      this.#readAllAt = at + READ_ALL_MS;
      for (const endpoint of this.#endpoints.values()) endpoint.look({ news: true });
    } else if (at < this.#newsUntil) await this.#lookAtNews();
  }

  /** Without the database's secret nothing can be signed: releases the webhooks to a process that has it. */
  async #giveBack(): Promise<void> {
    if (this.#endpoints.size === 0) return;
    for (const endpoint of this.#endpoints.values()) endpoint.change(undefined);
    await this.#parts.storage.deliveries.release(this.#owner, this.#parts.now());
    this.#endpoints.clear();
  }

  /** What was being sent is pending again once this process or another claims the webhook. */
  async #releaseUnsure(): Promise<void> {
    const { storage, now } = this.#parts;
    for (const [webhookId, endpoint] of this.#endpoints) {
      if (!endpoint.isOver || !endpoint.isUnsure) continue;
      this.#releaseAt = performance.now() + CLAIM_MS;
      await endpoint.close();
      await storage.deliveries.release(this.#owner, now(), webhookId);
      this.#endpoints.delete(webhookId);
      this.#claimAt = 0;
    }
  }

  /** Ignores events of other applications: comparing numbers is cheaper than reading the feed. */
  async #lookAtNews(): Promise<void> {
    const endpoints = [...this.#endpoints.values()];
    const newest = await this.#parts.storage.events.newestOf([...new Set(endpoints.map(({ appId }) => appId))]);
    for (const endpoint of endpoints)
      if ((newest.get(endpoint.appId) ?? 0) > endpoint.place) endpoint.look({ news: true });
  }

  async #claim(): Promise<void> {
    const { storage, now } = this.#parts;
    const [at, time] = [performance.now(), now()];
    const lease = { now: time, until: time + LEASE_MS, limit: CLAIMED_AT_ONCE };
    const claimed = await storage.deliveries.claim(this.#owner, lease);
    this.#claimAt = claimed.length === CLAIMED_AT_ONCE ? at : at + CLAIM_MS;
    for (const webhook of claimed) {
      const until = at + LEASE_MS;
      const held = {
        owner: this.#owner,
        until,
        onFailure: (error: unknown) => this.#fail(error),
        onAttempt: ({ state }: Attempt) => this.#attempts[state === 'pending' ? 'retried' : state]++,
      };
      this.#endpoints.get(webhook.webhookId)?.change(undefined);
      const endpoint = new Endpoint(this.#parts, webhook, held);
      this.#endpoints.set(webhook.webhookId, endpoint);
      endpoint.look({});
    }
  }

  async #renew(): Promise<void> {
    const { storage, now } = this.#parts;
    const [at, time] = [performance.now(), now()];
    const held = new Set(await storage.deliveries.renew(this.#owner, time, time + LEASE_MS));
    this.#renewAt = at + RENEW_MS;
    for (const [webhookId, endpoint] of this.#endpoints) {
      if (held.has(webhookId)) endpoint.extend(at + LEASE_MS);
      else endpoint.change(undefined);
    }
  }
}
