import { setImmediate as turn } from 'node:timers/promises';
import { takePage } from '../../page-bytes.ts';
import { type EventType, type StoredEvent, sizeOfEvent } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { type FeedItem, toPublicEvents, writeCursor } from './public-event.ts';

/** How often to check for new events while there are followers. */
const POLL_MS = 100;
/** Sent on idle streams, so that proxies keep them open and both sides notice a lost connection. */
export const BEAT_MS = 15_000;
/** Streams continued per turn of the event loop: a publication concerns all of them. */
const PER_TURN = 32;
/** Events per read of a stream, up to PAGE_BYTES together; a larger event (up to 100 kB) is read alone. */
const PAGE = 20;
const PAGE_BYTES = 65_536;

/** Streams per user, over all tabs and devices. */
const MAX_OF_USER = 50;
/** Retry-After for clients that are refused. */
const RETRY_SECONDS = 30;

type Parts = Pick<Service, 'storage' | 'catalogs' | 'keyring'>;
type Wanted = { after: number | 'start' | 'latest'; types?: readonly EventType[] | undefined };
/** Per process. */
type StreamLimits = { total: number; perApplication: number };

/** Shared by all followers at the same position. */
export type LivePage = {
  items: FeedItem[];
  /** Whether there is anything for this user; without one, anything at all. */
  concerns(userId: string | undefined): boolean;
  /** Events of the user and of the catalog, in order. */
  forUser(userId: string): FeedItem[];
  next: number;
  more: boolean;
};

/**
 * Clients that follow events as they happen. One poll serves the whole process: followers at the same position share
 * what is read, and those it concerns are woken, a few per turn. A follower reads the next page only when its client
 * has received the last one, so slow clients cost no memory.
 */
export class LiveEvents {
  readonly #parts: Parts;
  readonly #limits: StreamLimits;
  readonly #open = new OpenStreams();
  readonly #waiting = new Set<Follower>();
  readonly #pages = new Map<string, Promise<LivePage>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #followers = new Set<Follower>();

  constructor(parts: Parts, limits: StreamLimits) {
    this.#parts = parts;
    this.#limits = limits;
  }

  get count(): number {
    return this.#followers.size;
  }

  /** Resolves once the first events are read. Throws cursorExpired and tooManyStreams. */
  async follow(application: Application, wanted: Wanted, userId?: string): Promise<Follower> {
    const leave = this.#enter(application, userId);
    const follower = new Follower(
      application,
      { ...wanted, userId },
      {
        read: (after) => this.#read(application, { ...wanted, after }),
        wait: () => {
          this.#waiting.add(follower);
          this.#timer ??= setTimeout(() => void this.#poll(), POLL_MS).unref();
        },
        leave: () => {
          leave();
          this.#waiting.delete(follower);
          this.#followers.delete(follower);
        },
      },
    );
    try {
      await follower.open();
    } catch (error) {
      leave();
      throw error;
    }
    if (this.#isClosed) follower.end();
    else this.#followers.add(follower);
    return follower;
  }

  /** Counted before anything is read; returns a function to call when the stream ends. */
  #enter({ appId }: Application, userId: string | undefined): () => void {
    const bounds: [name: string, most: number][] = [
      ['', this.#limits.total],
      [`${appId}`, this.#limits.perApplication],
    ];
    if (userId !== undefined) bounds.push([`${appId} ${userId}`, MAX_OF_USER]);
    if (bounds.some(([name, most]) => this.#open.count(name) >= most)) {
      throw new InnkeeperError('tooManyStreams', { headers: { 'retry-after': String(RETRY_SECONDS) } });
    }
    for (const [name] of bounds) this.#open.add(name, 1);
    let isOpen = true;
    return () => {
      if (isOpen) for (const [name] of bounds) this.#open.add(name, -1);
      isOpen = false;
    };
  }

  /** Ends every stream: the clients reconnect, to another replica or the next process. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const follower of this.#followers) follower.end();
  }

  async #poll(): Promise<void> {
    const newest = await this.#parts.storage.events.newest().catch(() => 0);
    const waiting = [...this.#waiting];
    const behind = Map.groupBy(
      waiting.filter(({ place }) => place < newest),
      ({ group }) => group,
    );
    const read = async (followers: Follower[]) => ({
      followers,
      page: await followers[0]?.read().catch(() => undefined),
    });
    const groups = await Promise.all([...behind.values()].map(read));
    let woken = 0;
    const wake = async (follower: Follower, signal: Signal): Promise<void> => {
      if (!this.#waiting.delete(follower)) return;
      follower.wake(signal);
      if (++woken % PER_TURN === 0) await turn();
    };
    for (const { followers, page } of groups) {
      // Each follower handles the failure itself.
      for (const follower of followers) if (!page || !follower.skip(page)) await wake(follower, page ?? 'news');
    }
    const before = performance.now() - BEAT_MS;
    for (const follower of waiting) if (follower.waitsSince <= before) await wake(follower, 'beat');
    this.#timer = undefined;
    if (this.#waiting.size > 0 && !this.#isClosed) this.#timer = setTimeout(() => void this.#poll(), POLL_MS).unref();
  }

  #read(application: Application, { after, types }: Wanted): Promise<LivePage> {
    const name = nameOf(application, { after, types });
    let page = this.#pages.get(name);
    if (!page) {
      page = this.#readNow(application, { after, types }).finally(() => this.#pages.delete(name));
      this.#pages.set(name, page);
    }
    return page;
  }

  async #readNow(application: Application, { after, types }: Wanted): Promise<LivePage> {
    const { storage, keyring } = this.#parts;
    const page = await storage.events.read(application.appId, after, { limit: PAGE, types });
    if (page.outcome === 'expired') {
      throw new InnkeeperError('cursorExpired', { more: { oldest: writeCursor(keyring, application, page.oldest) } });
    }
    const taken = takePage(page.items, sizeOfEvent, PAGE_BYTES);
    const isCut = taken.length < page.items.length;
    const items = await toPublicEvents(this.#parts, application, taken);
    const byUser = Map.groupBy(items, (item) => item.userId);
    return {
      ...{ items, next: isCut ? (taken.at(-1) as StoredEvent).no : page.next, more: isCut || page.more },
      concerns: (userId) => (userId === undefined ? items.length > 0 : byUser.has(userId) || byUser.has(null)),
      forUser: (userId) =>
        [...(byUser.get(userId) ?? []), ...(byUser.get(null) ?? [])].sort((one, other) => one.no - other.no),
    };
  }
}

/** Equal for all followers that get the same page. */
function nameOf({ appId }: Application, { after, types }: Wanted): string {
  return `${appId} ${after} ${types?.join() ?? ''}`;
}

/** The number of streams by name; names without any take no memory. */
class OpenStreams {
  readonly #counts = new Map<string, number>();

  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  add(name: string, change: 1 | -1): void {
    const count = this.count(name) + change;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
  }
}

type Hub = { read(after: Wanted['after']): Promise<LivePage>; wait(): void; leave(): void };
/** A page is what it waited for; 'news': it has to read by itself. */
type Signal = LivePage | 'news' | 'beat' | 'end';

/** One follower of the events. */
export class Follower {
  readonly application: Application;
  /** On the monotonic clock. */
  waitsSince = 0;
  readonly #hub: Hub;
  readonly #userId: string | undefined;
  readonly #types: Wanted['types'];
  #after: Wanted['after'];
  #page: LivePage | undefined;
  #hasMore = false;
  #isEnded = false;
  #signal: ((signal: Signal) => void) | undefined;

  constructor(application: Application, { after, types, userId }: Wanted & { userId: string | undefined }, hub: Hub) {
    this.application = application;
    this.#after = after;
    this.#types = types;
    this.#userId = userId;
    this.#hub = hub;
  }

  /** Followers of the same group get the same page next. */
  get group(): string {
    return nameOf(this.application, { after: this.#after, types: this.#types });
  }

  /** Everything up to here was read. */
  get place(): number {
    return typeof this.#after === 'number' ? this.#after : 0;
  }

  /** The cursor to resume from if there are no events yet; undefined while the first ones wait to be sent. */
  get openedAt(): number | undefined {
    return this.#page && this.#page.items.length > 0 ? undefined : this.place;
  }

  async open(): Promise<void> {
    this.#page = await this.read();
    this.#take(this.#page);
  }

  /** The next events, 'beat' if there were none for a while, undefined at the end. */
  async next(): Promise<LivePage | 'beat' | undefined> {
    const first = this.#page;
    this.#page = undefined;
    if (first && first.items.length > 0) return first;
    for (;;) {
      let given: LivePage | undefined;
      if (!this.#isEnded && !this.#hasMore) {
        const signal = await this.#wait();
        if (signal === 'beat') return 'beat';
        given = typeof signal === 'object' ? signal : undefined;
      }
      if (this.#isEnded) return undefined;
      try {
        const page = given ?? (await this.read());
        this.#take(page);
        if (page.items.length > 0) return page;
      } catch (error) {
        // The events were purged before they were read: the client gets the error when it reconnects. A database outage
        // is retried.
        if (error instanceof InnkeeperError) return undefined;
        this.#hasMore = false;
      }
    }
  }

  read(): Promise<LivePage> {
    return this.#hub.read(this.#after);
  }

  /** Moves past a page that has nothing for it, without being woken. */
  skip(page: LivePage): boolean {
    if (page.more || page.concerns(this.#userId)) return false;
    this.#take(page);
    return true;
  }

  wake(signal: Signal): void {
    this.#signal?.(signal);
  }

  end(): void {
    this.#isEnded = true;
    this.#hub.leave();
    this.wake('end');
  }

  #take({ next, more }: LivePage): void {
    this.#after = next;
    this.#hasMore = more;
  }

  async #wait(): Promise<Signal> {
    const { promise, resolve } = Promise.withResolvers<Signal>();
    this.#signal = resolve;
    this.waitsSince = performance.now();
    this.#hub.wait();
    const signal = await promise;
    this.#signal = undefined;
    return signal;
  }
}
