import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Claim, Counted, RateLimits, Standing } from './rate-limits.ts';

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
