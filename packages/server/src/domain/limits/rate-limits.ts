import type { Storage } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Keyring } from '../keyring.ts';
import { type RateLimit, readRateLimit } from './rate-limit.ts';

export type Counted = 'users' | 'options';

/** A limit that a request counts against. */
export type Claim = { name: 'address' | 'application' | 'application-address'; limit: RateLimit; subject: string };
export type Standing = { claim: Claim; left: number; seconds: number };

/**
 * Which limits apply to a request, and whether it is admitted. All are off by default. An application's two interfaces
 * are counted separately: the apiKey is public, and using up its limit must not keep the application from creating
 * users.
 */
export class RateLimits {
  readonly #allowances: Allowances;
  readonly #ofAddress: RateLimit | undefined;
  readonly #ofApplication: RateLimit | undefined;
  /** Parsed limits of application settings. */
  readonly #read = new Map<string, RateLimit | undefined>();

  constructor(
    allowances: Allowances,
    { rateLimit, addressRateLimit }: Record<'rateLimit' | 'addressRateLimit', RateLimit | 'off'>,
  ) {
    this.#allowances = allowances;
    this.#ofApplication = rateLimit === 'off' ? undefined : rateLimit;
    this.#ofAddress = addressRateLimit === 'off' ? undefined : addressRateLimit;
  }

  ofAddress(network: () => string): Claim[] {
    return this.#ofAddress ? [claim('address', this.#ofAddress, network())] : [];
  }

  ofApplication({ appId, settings }: Application, counted: Counted, network: () => string): Claim[] {
    const own = settings.rateLimit === 'default' ? this.#ofApplication : this.#limitOf(settings.rateLimit);
    const ofOneAddress = counted === 'options' ? this.#limitOf(settings.addressRateLimit) : undefined;
    const claims: Claim[] = [];
    if (own) claims.push(claim('application', own, `${appId} ${counted}`));
    if (ofOneAddress) claims.push(claim('application-address', ofOneAddress, `${appId} ${network()}`));
    return claims;
  }

  /** Counts a request against all limits, or against none if one is used up: then only that one is returned. */
  admit(claims: readonly Claim[]): { admitted: boolean; standings: Standing[] } {
    const before = claims.map((each) => this.#look(each));
    const usedUp = before.filter(({ left }) => left < 1);
    if (usedUp.length > 0) return { admitted: false, standings: usedUp };
    for (const { subject, limit } of claims) this.#allowances.spend(subject, limit);
    return { admitted: true, standings: claims.map((each) => this.#look(each)) };
  }

  #look(claim: Claim): Standing {
    const { left, ms } = this.#allowances.look(claim.subject, claim.limit);
    return { claim, left, seconds: Math.max(left > 0 ? 0 : 1, Math.ceil(ms / 1000)) };
  }

  #limitOf(text: string): RateLimit | undefined {
    if (text === 'off') return undefined;
    if (!this.#read.has(text)) {
      const limit = readRateLimit(text);
      this.#read.set(text, limit === 'off' ? undefined : limit);
    }
    return this.#read.get(text);
  }
}

/** The limit is part of the key: changing it starts a new count. */
function claim(name: Claim['name'], limit: RateLimit, whose: string): Claim {
  return { name, limit, subject: `${name} ${limit.quota}/${limit.seconds} ${whose}` };
}

/** Replicas share their counts after this time. */
const SHARE_MS = 250;
/**
 * A subject that has used less than this part of its allowance is not shared: for most callers nothing is ever written.
 */
const SHARED_FROM = 0.1;
const MAX_SHARED = 1_000;
/**
 * Several replicas may each allow a whole burst before they know of each other. Up to this many windows of usage are
 * stored and refill first: otherwise a client that never pauses would get the limit once per replica.
 */
const MAX_WINDOWS = 2;
const MAX_SUBJECTS = 100_000;

type Unsent = { ms: number; windowMs: number };

/**
 * How much of its allowance each subject has used, as the time at which it would be full again. It is refilled evenly
 * over the limit's period, so one number is enough. Counted in memory: every replica regularly adds its counts to the
 * database and reads those of the others, so no request waits for it, and together they may admit more than the limit
 * for a moment.
 */
export class Allowances {
  readonly #storage: Storage;
  readonly #keyring: Keyring;
  readonly #now: () => number;
  readonly #onFailure: (error: unknown) => void;
  /** On the monotonic clock: changes of the wall clock have no effect. */
  readonly #until = new Map<string, number>();
  readonly #unsent = new Map<string, Unsent>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #inFlight: Promise<void> = Promise.resolve();

  constructor(storage: Storage, keyring: Keyring, now: () => number, onFailure: (error: unknown) => void) {
    this.#storage = storage;
    this.#keyring = keyring;
    this.#now = now;
    this.#onFailure = onFailure;
  }

  /** How many requests are left, and the milliseconds until all are refilled, or until there is one again. */
  look(subject: string, { quota, seconds }: RateLimit): { left: number; ms: number } {
    const now = performance.now();
    const windowMs = seconds * 1000;
    const usedMs = Math.max((this.#until.get(subject) ?? 0) - now, 0);
    // A thousandth of a request covers rounding errors.
    const left = Math.max(0, Math.floor(((windowMs - usedMs) / windowMs) * quota + 0.001));
    return { left, ms: left > 0 ? usedMs : usedMs + windowMs / quota - windowMs };
  }

  spend(subject: string, { quota, seconds }: RateLimit): void {
    const now = performance.now();
    const windowMs = seconds * 1000;
    const ms = windowMs / quota;
    const until = Math.min(Math.max(this.#until.get(subject) ?? 0, now) + ms, now + windowMs);
    // Re-insert as last: the first is always the one that has been quiet the longest.
    this.#until.delete(subject);
    this.#until.set(subject, until);
    const [[oldest, oldestUntil]] = this.#until as unknown as [[string, number]];
    if (oldestUntil <= now || this.#until.size > MAX_SUBJECTS) this.#until.delete(oldest);

    const unsent = this.#unsent.get(subject);
    if (unsent) unsent.ms += ms;
    else this.#unsent.set(subject, { ms, windowMs });
    this.#shareSoon();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#inFlight;
  }

  #shareSoon(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#inFlight = this.#share().finally(() => {
        this.#timer = undefined;
        if (this.#unsent.size > 0) this.#shareSoon();
      });
    }, SHARE_MS).unref();
  }

  async #share(): Promise<void> {
    const now = performance.now();
    const shared: (Unsent & { subject: string })[] = [];
    for (const [subject, { ms, windowMs }] of this.#unsent) {
      const usedMs = (this.#until.get(subject) ?? 0) - now;
      const isWorthSharing = usedMs >= windowMs * SHARED_FROM && shared.length < MAX_SHARED;
      // The rest has been refilled by now.
      if (isWorthSharing) shared.push({ subject, ms: Math.min(ms, usedMs), windowMs });
      if (isWorthSharing || usedMs <= 0) this.#unsent.delete(subject);
    }
    if (shared.length === 0) return;
    try {
      const spendings = shared.map(({ subject, ms, windowMs }) => ({
        subjectHash: this.#keyring.hashLimited(subject),
        ms: Math.round(ms),
        windowMs: windowMs * MAX_WINDOWS,
      }));
      const left = await this.#storage.rateLimits.spend(spendings, this.#now());
      for (const [index, { subject }] of shared.entries()) {
        const meanwhile = this.#unsent.get(subject)?.ms ?? 0;
        if (this.#until.has(subject)) this.#until.set(subject, now + (left[index] as number) + meanwhile);
      }
    } catch (error) {
      for (const { subject, ms, windowMs } of shared) {
        this.#unsent.set(subject, { ms: ms + (this.#unsent.get(subject)?.ms ?? 0), windowMs });
      }
      this.#onFailure(error);
    }
  }
}

/** The rate limits applied to one request. The response's headers are made from the standings. */
export class Admission {
  readonly #limits: RateLimits;
  readonly #caller: { readonly network: string };
  standings: readonly Standing[] = [];

  constructor(limits: RateLimits, caller: { readonly network: string }) {
    this.#limits = limits;
    this.#caller = caller;
  }

  /** Throws rateLimited if the address has used up its requests. */
  admitAddress(): void {
    this.#admit(this.#limits.ofAddress(() => this.#caller.network));
  }

  /** Call it once the application is known; for users, once that is proven, so that strangers use up nothing. */
  admitApplication(application: Application, counted: Counted): void {
    this.#admit(this.#limits.ofApplication(application, counted, () => this.#caller.network));
  }

  #admit(claims: readonly Claim[]): void {
    if (claims.length === 0) return;
    const { admitted, standings } = this.#limits.admit(claims);
    this.standings = [...this.standings, ...standings];
    if (admitted) return;
    const wait = Math.max(...standings.map(({ seconds }) => seconds));
    throw new InnkeeperError('rateLimited', { headers: { 'retry-after': String(wait) } });
  }
}
