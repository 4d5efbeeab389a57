import type pg from 'pg';
import { StorageUnavailable } from '../port.ts';
import { resultWithin } from './deadline.ts';
import { isReadOnly } from './errors.ts';
import { endClient, type Servers, serverMs } from './servers.ts';

const MAX_CLIENTS = 4;
/** Acts with a timeout of their own may each take minutes: the rest is for others. */
const MAX_LONG = 3;
const IDLE_MS = 30_000;

export type Query = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;

/** The same connection, for statements with another timeout. */
export type QueryFor = (statementMs: number) => Query;

/** For the rest of the transaction. A long act waits for locks. */
export const boundStatements = (statementMs: number): string =>
  `set local statement_timeout = ${serverMs(statementMs)}; set local lock_timeout to default`;

/** A small pool of ordinary connections for the rare acts of several statements. */
export class Transactions {
  readonly #servers: Servers;
  readonly #begin: string;
  readonly #idle: { client: pg.Client; timer: NodeJS.Timeout }[] = [];
  readonly #queue: { isLong: boolean; enter: () => void }[] = [];
  #busy = 0;
  #long = 0;
  /** Clients from before the last `close` are not kept. */
  #generation = 0;

  /** `lockMs`: lock timeout of acts without a statement timeout of their own. */
  constructor(servers: Servers, lockMs?: number) {
    this.#servers = servers;
    this.#begin = lockMs === undefined ? 'begin' : `begin; set local lock_timeout = ${lockMs}`;
  }

  get figures(): { open: number; idle: number; waiting: number } {
    return { open: this.#busy + this.#idle.length, idle: this.#idle.length, waiting: this.#queue.length };
  }

  async run<T>(
    work: (query: Query, queryFor: QueryFor) => Promise<T>,
    statementMs = this.#servers.statementMs,
    signal?: AbortSignal,
    isLong = statementMs !== this.#servers.statementMs,
  ): Promise<T> {
    await this.#place(isLong, statementMs);
    let client: pg.Client | undefined;
    let sound = false;
    let generation = this.#generation;
    try {
      client = await this.#take();
      generation = this.#generation;
      const connected = client;
      const queryFor: QueryFor =
        (maxMs) =>
        async (text, values = []) =>
          (await resultWithin(connected, { text, values }, maxMs)).rows;
      const query = queryFor(statementMs);
      const abortable: Query = async (text, values = []) =>
        (await resultWithin(connected, { text, values }, statementMs, signal)).rows;
      const isBound = statementMs !== this.#servers.statementMs;
      await query(isBound ? `begin; ${boundStatements(statementMs)}` : this.#begin);
      try {
        const result = await work(signal ? abortable : query, queryFor);
        await query('commit');
        sound = true;
        return result;
      } catch (error) {
        sound =
          !isReadOnly(error) &&
          (await query('rollback').then(
            () => true,
            () => false,
          ));
        signal?.throwIfAborted();
        throw error;
      }
    } finally {
      if (client && sound && generation === this.#generation) this.#keep(client);
      else if (client) endClient(client).catch(() => {});
      this.#leave(isLong);
    }
  }

  /** Closes idle connections now, and the others when they are no longer used. */
  async close(): Promise<void> {
    this.#generation++;
    await Promise.all(
      this.#idle.splice(0).map(({ client, timer }) => {
        clearTimeout(timer);
        return endClient(client);
      }),
    );
  }

  /** Waits for its turn, for at most `ms`. */
  async #place(isLong: boolean, ms: number): Promise<void> {
    if (this.#hasRoom(isLong)) return this.#enter(isLong);
    await new Promise<void>((resolve, reject) => {
      const waiting = {
        isLong,
        enter: (): void => {
          clearTimeout(timer);
          this.#enter(isLong);
          resolve();
        },
      };
      const timer = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(new StorageUnavailable('PostgreSQL: every connection for transactions has been busy for too long.'));
      }, ms);
      this.#queue.push(waiting);
    });
  }

  #hasRoom(isLong: boolean): boolean {
    return this.#busy < MAX_CLIENTS && (!isLong || this.#long < MAX_LONG);
  }

  #enter(isLong: boolean): void {
    this.#busy++;
    if (isLong) this.#long++;
  }

  #leave(isLong: boolean): void {
    this.#busy--;
    if (isLong) this.#long--;
    const next = this.#queue.findIndex((waiting) => this.#hasRoom(waiting.isLong));
    if (next !== -1) this.#queue.splice(next, 1)[0]?.enter();
  }

  async #take(): Promise<pg.Client> {
    const kept = this.#idle.pop();
    if (kept) {
      clearTimeout(kept.timer);
      return kept.client;
    }
    const client = await this.#servers.connect({ pipeline: false });
    // Lost while idle: the next act must not get it.
    client.once('error', () => this.#drop(client));
    client.once('end', () => this.#drop(client));
    return client;
  }

  #keep(client: pg.Client): void {
    this.#idle.push({ client, timer: setTimeout(() => this.#drop(client), IDLE_MS).unref() });
  }

  #drop(client: pg.Client): void {
    const index = this.#idle.findIndex((entry) => entry.client === client);
    if (index === -1) return;
    clearTimeout(this.#idle.splice(index, 1)[0]?.timer);
    endClient(client).catch(() => {});
  }
}
