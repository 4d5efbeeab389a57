import { InnkeeperError } from '../errors.ts';

/** How long an application may search without a pause, and the part of the time in which it may search afterwards. */
const BURST_MS = 10_000;
const SHARE = 0.5;
/** A search that its client waits for is stopped after this time. */
const LIMIT_MS = 120_000;

/**
 * Runs a part of a search. `cost` tells which part of the time counts; by default all of it does.
 */
export type Pace = <T>(part: () => Promise<T>, cost?: (result: T) => number) => Promise<T>;

export const unpaced: Pace = (part) => part();

type Used = { fullAt: number; last: Promise<unknown>; waiting: number };

/**
 * Conditions that no index serves are checked for every user, for as long as there are users: seconds among millions.
 * The searches of an application take turns, and after a while they pause half of the time, so that however many there
 * are, no more than half a core is busy with them. The first part of a search never waits: it is enough for most.
 */
export class SearchTime {
  readonly #ofApplication = new Map<number, Used>();
  readonly #limits: { burstMs: number; limitMs: number };

  constructor({ burstMs = BURST_MS, limitMs = LIMIT_MS }: { burstMs?: number; limitMs?: number } = {}) {
    this.#limits = { burstMs, limitMs };
  }

  /** For one search. `endless`: it sends what it finds meanwhile, so that it may take any time. */
  pace(appId: number, { signal, endless = false }: { signal?: AbortSignal; endless?: boolean } = {}): Pace {
    const begun = performance.now();
    let parts = 0;
    return async (part, cost = () => 1) => {
      if (parts++ === 0) return this.#measure(appId, part, cost);
      return this.#inTurn(appId, async () => {
        await this.#rest(appId, signal);
        signal?.throwIfAborted();
        if (!endless && performance.now() - begun > this.#limits.limitMs) throw tooSlow(this.#limits.limitMs);
        return this.#measure(appId, part, cost);
      });
    };
  }

  #used(appId: number): Used {
    let used = this.#ofApplication.get(appId);
    if (!used) {
      used = { fullAt: 0, last: Promise.resolve(), waiting: 0 };
      this.#ofApplication.set(appId, used);
    }
    return used;
  }

  async #measure<T>(appId: number, part: () => Promise<T>, cost: (result: T) => number): Promise<T> {
    const begun = performance.now();
    const result = await part();
    const now = performance.now();
    const used = this.#used(appId);
    used.fullAt = Math.max(used.fullAt, begun) + ((now - begun) * cost(result)) / SHARE;
    return result;
  }

  async #inTurn<T>(appId: number, part: () => Promise<T>): Promise<T> {
    const used = this.#used(appId);
    used.waiting++;
    const turn = used.last.then(part);
    used.last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      used.waiting--;
      for (const [each, { waiting, fullAt }] of this.#ofApplication) {
        if (waiting === 0 && fullAt <= performance.now()) this.#ofApplication.delete(each);
      }
    }
  }

  /** Until the application has earned time again, or the client has left. */
  #rest(appId: number, signal: AbortSignal | undefined): Promise<void> | undefined {
    const ms = this.#used(appId).fullAt - performance.now() - this.#limits.burstMs / SHARE;
    if (ms <= 0 || signal?.aborted) return undefined;
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done);
    });
  }
}

function tooSlow(limitMs: number): InnkeeperError {
  return new InnkeeperError('overloaded', {
    message:
      `This search took longer than ${limitMs / 1000} seconds and was stopped. Add a condition that few users meet (group.key=value), ` +
      'run fewer searches at once, or stream all matches with `Accept: application/x-ndjson`.',
    headers: { 'retry-after': '60' },
  });
}
