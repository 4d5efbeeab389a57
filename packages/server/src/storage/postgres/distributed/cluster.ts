import type { Stores } from '../../port.ts';
import { activityStore, requestLogStore } from '../activity-and-audit.ts';
import { untilUnlocked } from '../connection-pool.ts';
import { type Connections, inTransaction, statement } from '../connections.ts';
import { eventStore } from '../events.ts';
import { selectionStore } from '../selections.ts';
import { tokenStore } from '../tokens.ts';
import { transferStore } from '../transfer.ts';
import { userSearch, userWalk } from '../user-walk.ts';
import { trialStore, userStore } from '../users.ts';
import { ENTER_GATE } from './consistent-snapshot.ts';
import { claim, homeConnections } from './home-connections.ts';
import type { Homes } from './homes.ts';

/** A home has the stores of an ordinary database, for its own users. */
export type HomeStores = Pick<
  Stores,
  'users' | 'tokens' | 'selections' | 'transfer' | 'events' | 'requestLog' | 'trials' | 'activity'
> & { connections: Connections };

/** Restarting an act over several homes costs more than letting others wait. */
const LOCK_MS = 1_000;
const TOGETHER_MS = 10_000;

/**
 * Transactions at a time, for acts that query every home: with more, a survey of many keys would take all connections for
 * longer than other acts wait for one.
 */
const AT_ONCE = 2;

/** Rolls back an act over several homes, with this outcome. */
class Undone extends Error {
  readonly outcome: unknown;

  constructor(outcome: unknown) {
    super('undone');
    this.outcome = outcome;
  }
}

export class Cluster {
  readonly homes: Homes;
  /** The coordinator's own tables. */
  readonly connections: Connections;
  readonly #isTransaction: boolean;
  readonly #homes = new Map<number, HomeStores>();
  /** The same, for acts that query every home. */
  readonly #homesInTurn = new Map<number, HomeStores>();
  readonly #waiting: (() => void)[] = [];
  #atOnce = 0;
  readonly #claims = new Map<number, Promise<unknown>>();
  /** Events up to this number can be read; see events.ts. */
  #horizon = 0;

  constructor(homes: Homes, connections: Connections, isTransaction = false) {
    this.homes = homes;
    this.connections = connections;
    this.#isTransaction = isTransaction;
  }

  at(home: number): HomeStores {
    let stores = this.#homes.get(home);
    if (!stores) {
      stores = this.#storesOf(home, this.#isTransaction ? this.#claiming(home) : this.connections);
      this.#homes.set(home, stores);
    }
    return stores;
  }

  ofUser(userId: string): HomeStores {
    return this.at(this.homes.ofUser(userId));
  }

  /** All homes at once; in a transaction one at a time, as it has one connection. */
  async everywhere<T>(act: (stores: HomeStores, home: number) => Promise<T>): Promise<T[]> {
    if (!this.#isTransaction) return Promise.all(this.homes.all.map((home) => act(this.#inTurn(home), home)));
    const results: T[] = [];
    for (const home of this.homes.all) results.push(await act(this.at(home), home));
    return results;
  }

  /** Looks in the expected home first, then in all others. */
  async find<T>(
    expected: number | undefined,
    act: (stores: HomeStores, home: number) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const found = expected === undefined ? undefined : await act(this.at(expected), expected);
    if (found !== undefined) return found;
    const others = await this.everywhere((stores, home) =>
      home === expected ? Promise.resolve(undefined) : act(stores, home),
    );
    return others.find((each) => each !== undefined);
  }

  /** All or nothing over several homes. `undo` rolls back with an outcome. */
  async together<T>(
    work: (cluster: Cluster, undo: (outcome: T) => never) => Promise<T>,
    statementMs?: number,
  ): Promise<T> {
    const undo = (outcome: T): never => {
      throw new Undone(outcome);
    };
    const attempt = (): Promise<T> =>
      this.connections.transaction(async (query) => {
        if (!this.#isTransaction) await query(ENTER_GATE);
        const inner = inTransaction(query, () => query, LOCK_MS);
        return work(new Cluster(this.homes, inner, true), undo);
      }, statementMs);
    try {
      return await (this.#isTransaction ? attempt() : untilUnlocked(statementMs ?? TOGETHER_MS, attempt));
    } catch (error) {
      if (error instanceof Undone) return error.outcome as T;
      throw error;
    }
  }

  readUpTo(horizon: number): void {
    this.#horizon = horizon;
  }

  #inTurn(home: number): HomeStores {
    let stores = this.#homesInTurn.get(home);
    if (!stores) {
      const { connections } = this;
      const transaction: Connections['transaction'] = async (...args) => {
        if (this.#atOnce < AT_ONCE) this.#atOnce++;
        else await new Promise<void>((enter) => this.#waiting.push(enter));
        try {
          return await connections.transaction(...args);
        } finally {
          const next = this.#waiting.shift();
          if (next) next();
          else this.#atOnce--;
        }
      };
      stores = this.#storesOf(home, {
        read: (...args) => connections.read(...args),
        write: (...args) => connections.write(...args),
        writeInTurn: (...args) => connections.writeInTurn(...args),
        writeWithOthers: (...args) => connections.writeWithOthers(...args),
        transaction,
      });
      this.#homesInTurn.set(home, stores);
    }
    return stores;
  }

  #storesOf(home: number, own: Connections): HomeStores {
    const connections = homeConnections(this.homes, home, own, this.#isTransaction);
    return {
      connections,
      users: { ...userStore(connections), ...userSearch(connections), ...userWalk(connections) },
      tokens: tokenStore(connections),
      selections: selectionStore(connections),
      transfer: transferStore(connections),
      events: eventStore(connections, { known: 0, advance: async () => this.#horizon }),
      requestLog: requestLogStore(connections),
      trials: trialStore(connections),
      activity: activityStore(connections),
    };
  }

  /** Called before the first write. */
  #claiming(home: number): Connections {
    const { connections } = this;
    const claimed = async <T>(act: () => Promise<T>): Promise<T> => {
      let claiming = this.#claims.get(home);
      if (!claiming) {
        claiming = connections.write(statement(claim(home)));
        this.#claims.set(home, claiming);
      }
      await claiming;
      return act();
    };
    return {
      read: (...args) => connections.read(...args),
      write: (...args) => claimed(() => connections.write(...args)),
      writeInTurn: (...args) => claimed(() => connections.writeInTurn(...args)),
      writeWithOthers: (...args) => claimed(() => connections.writeWithOthers(...args)),
      transaction: (...args) => connections.transaction(...args),
    };
  }
}
