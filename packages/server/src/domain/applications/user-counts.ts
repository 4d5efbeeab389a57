import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage } from '../../storage/port.ts';

/** Fewer users are counted for each reader, in milliseconds. */
const MANY_USERS = 100_000;
/** A count is current for ten times as long as it took, so that counting takes at most a tenth of the time. */
const CURRENT_PER_MS = 10;
const MAX_CURRENT_MS = 5 * 60_000;
/** How long a reader waits for the first count: reading an index of millions from a disk takes ten seconds. */
const MAX_WAIT_MS = 300;
/** Readers that stop waiting get a count up to this many. */
const AT_LEAST = 10_000;

type Counted = { users: number; ms: number; at: number };

/** How many users an application has. Counting millions takes a second or more, so readers get the last count meanwhile. */
export class UserCounts {
  readonly #storage: Pick<Storage, 'applications' | 'users'>;
  readonly #now: () => number;
  readonly #last = new Map<number, Counted>();
  readonly #counting = new Map<number, Promise<number>>();

  constructor(storage: Pick<Storage, 'applications' | 'users'>, now: () => number = () => performance.now()) {
    this.#storage = storage;
    this.#now = now;
  }

  /** Waits a moment for the first count. After that, `moreUsers` says that there are at least so many. */
  async read(appId: number): Promise<{ users: number; moreUsers: boolean }> {
    const all = await Promise.race([this.exact(appId), sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    if (all !== undefined) return { users: all, moreUsers: false };
    const users = await this.#storage.users.countWalk(appId, { by: 'user' }, AT_LEAST);
    return { users, moreUsers: users === AT_LEAST };
  }

  /** The first reader waits for the whole count. */
  exact(appId: number): Promise<number> {
    const last = this.#last.get(appId);
    if (!last || last.users < MANY_USERS) return this.#count(appId);
    if (this.#now() > last.at + Math.min(last.ms * CURRENT_PER_MS, MAX_CURRENT_MS)) {
      // If it fails, the next reader tries again.
      this.#count(appId).catch(() => {});
    }
    return Promise.resolve(last.users);
  }

  #count(appId: number): Promise<number> {
    const counting = this.#counting.get(appId) ?? this.#run(appId).finally(() => this.#counting.delete(appId));
    this.#counting.set(appId, counting);
    return counting;
  }

  async #run(appId: number): Promise<number> {
    const begun = this.#now();
    const users = await this.#storage.applications.countUsers(appId);
    const at = this.#now();
    this.#last.set(appId, { users, ms: at - begun, at });
    return users;
  }
}
