import type { Application } from '../applications/application.ts';
import type { Allowances } from './allowances.ts';
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
