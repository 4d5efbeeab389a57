import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Problem, type StorageFigures, StorageUnavailable } from '../port.ts';
import { DISK_PROBLEM, RecentFailure } from '../problems.ts';
import { type Connections, type SharedRow, type SharedStatement, type Statement, statement } from './connections.ts';
import {
  DURABLE_SETTINGS,
  describeSchemaFault,
  isAboutPreparedStatement,
  isCancelled,
  isConflict,
  isConnectionLost,
  isReadOnly,
  isSchemaFault,
  isTimeout,
  isUnderLock,
  isUnwritable,
  LOSSY_PROBLEM,
  READ_ONLY_PROBLEM,
  toPortError,
  wasNotSent,
} from './errors.ts';
import { LockWatch } from './lock-watch.ts';
import { chooseConnection, PipelinedConnection } from './pipelined-connection.ts';
import { AddressWatch, LOCK_MS, Servers, Unreached } from './servers.ts';
import { type Kind, LockedOut, StatementBatcher } from './statement-batcher.ts';
import { type Query, type QueryFor, Transactions } from './transactions.ts';

/** Reads do not wait for the disk: two connections keep two server processes busy. */
const READ_CONNECTIONS = 2;
/**
 * A connection commits one act after another, and PostgreSQL flushes concurrent commits together. Measured with 64
 * single-statement creates in flight: 2 connections 1,200 to 1,600 a second, 16 connections 2,700 to 3,600; more gain
 * nothing.
 */
const WRITE_CONNECTIONS = 10;
/**
 * For batches (statement-batcher.ts), which wait briefly for a lock: kept apart so that they do not queue behind
 * statements that wait long.
 */
const SHARED_CONNECTIONS = 6;
/** Batches in flight per kind: PostgreSQL flushes one, executes the next, and a third is ready. */
const SHARED = { inFlight: 3, maxBatch: 16 };
/** Single acts in flight: enough to keep the connections busy. With half as many, special tokens are a third slower. */
const SINGLE = { inFlight: 4 * WRITE_CONNECTIONS, maxBatch: 1 };
/** A server that has responded to anyone within this time is reachable, even if another act waits. */
const RESPONDS_MS = 1_000;
/** Beyond this many acts the server cannot keep up: failing fast beats responding too late. */
const MAX_IN_FLIGHT = 10_000;
const MAX_TRIES = 8;
/**
 * Lock timeout of transactions, which are few and have their connection to themselves. Those that wait for one another
 * get their turn within it; those that wait for a stuck one leave room for others.
 */
const TRANSACTION_LOCK_MS = 500;

const SETTINGS = statement(DURABLE_SETTINGS);
const PING = statement('select 1 as one');

/** Prepared statements are lost behind some poolers, again and again; elsewhere by a lock or a change of a table. */
const MAX_LOST_NAMES = 3;
const LOST_NAMES_MS = { apart: 1_000, within: 60_000 };

/** A connection opened while others were being closed may be closed with them. */
const MAX_REPEATS = 3;

export class ConnectionPool implements Connections {
  readonly #readConnections: PipelinedConnection[];
  readonly #writeConnections: PipelinedConnection[];
  readonly #sharedConnections: PipelinedConnection[];
  readonly #transactions: Transactions;
  readonly #servers: Servers;
  readonly #batchers = new Map<Statement | SharedStatement, StatementBatcher<never, never>>();
  readonly #failedWrite = new RecentFailure();
  readonly #refusedWrite = new RecentFailure();
  readonly #schemaFault = new RecentFailure();
  readonly #statementMs: number;
  readonly #locks: LockWatch;
  readonly #addresses: AddressWatch;
  #isLossy = false;
  /** When prepared statements were lost; too often, and they are no longer prepared. */
  #lostNames: number[] = [];
  #naming = true;
  #inFlight = 0;
  #committed = 0;
  #commits = 0;
  #idle: (() => void) | undefined;
  #closed = false;
  #retiredAt = Number.NEGATIVE_INFINITY;
  #respondedAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, statementMs?: number) {
    // Connections to the previous address would keep writing there.
    const servers = new Servers(url, () => this.#retireAll(), statementMs);
    this.#servers = servers;
    this.#statementMs = servers.statementMs;
    this.#readConnections = Array.from({ length: READ_CONNECTIONS }, () => new PipelinedConnection(servers));
    this.#writeConnections = Array.from({ length: WRITE_CONNECTIONS }, () => new PipelinedConnection(servers));
    this.#sharedConnections = Array.from({ length: SHARED_CONNECTIONS }, () => new PipelinedConnection(servers));
    this.#transactions = new Transactions(servers, TRANSACTION_LOCK_MS);
    this.#locks = new LockWatch(servers);
    this.#addresses = new AddressWatch(servers);
  }

  read<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    return this.#act(() =>
      untilUnlocked(this.#statementMs, () =>
        this.#send<Row>(this.#readConnections, statement, values, { repeatable: true }),
      ),
    );
  }

  /** Whether the server responds now: does not wait for one that is away. */
  async ping(): Promise<void> {
    await this.#act(() => this.#send(this.#readConnections, PING, [], { repeatable: true, now: true }));
  }

  write<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    return this.#act(async () => {
      const rows = await untilUnlocked(this.#statementMs, () =>
        this.#commit<Row>(this.#writeConnections, statement, values),
      );
      this.#committed++;
      return rows;
    });
  }

  writeInTurn<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[], keys: string[]): Promise<Row[]> {
    return this.#gather<unknown[], Row>(statement, values, keys, () => ({
      ...SINGLE,
      charactersOf: () => 0,
      send: async ([act = []], { lockMs, withinMs }) => [
        await this.#commit(this.#writeConnections, statement, [...act, String(lockMs)], withinMs),
      ],
    }));
  }

  writeWithOthers<Row extends SharedRow>(statement: SharedStatement, act: object, keys: string[]): Promise<Row[]> {
    return this.#gather<string, Row>(statement, JSON.stringify(act), keys, () => ({
      ...SHARED,
      charactersOf: ({ length }) => length,
      send: async (acts, { lockMs, alone, withinMs }) => {
        const chosen = alone ? statement.alone : statement.together;
        const values = [`[${acts.join()}]`, String(lockMs)];
        const rows = await this.#commit<Row>(this.#sharedConnections, chosen, values, withinMs);
        const rowsOf = Map.groupBy(rows, ({ no }) => no);
        return acts.map((_, index) => {
          const own = rowsOf.get(index + 1) ?? [];
          return own[0]?.locked ? 'locked' : own;
        });
      },
    }));
  }

  #gather<Act, Row>(
    statement: Statement | SharedStatement,
    act: Act,
    keys: string[],
    kindOf: () => Kind<Act, Row>,
  ): Promise<Row[]> {
    return this.#act(async () => {
      let batcher = this.#batchers.get(statement) as StatementBatcher<Act, Row> | undefined;
      if (!batcher) {
        batcher = new StatementBatcher(kindOf(), this.#statementMs);
        this.#batchers.set(statement, batcher as StatementBatcher<never, never>);
      }
      const rows = await batcher.add(act, keys);
      this.#committed++;
      return rows;
    });
  }

  async #commit<Row extends pg.QueryResultRow>(
    connections: PipelinedConnection[],
    statement: Statement,
    values: unknown[],
    withinMs?: number,
  ): Promise<Row[]> {
    const rows = await this.#send<Row>(connections, statement, values, { withinMs });
    this.#commits++;
    this.#refusedWrite.clear();
    return rows;
  }

  transaction<T>(work: (query: Query) => Promise<T>, statementMs?: number, signal?: AbortSignal): Promise<T> {
    const attempt = (): Promise<T> => this.#transact(work, statementMs, signal);
    return this.#act(() => (statementMs === undefined ? untilUnlocked(this.#statementMs, attempt) : attempt()));
  }

  /**
   * Runs several acts, all or none. If one meets a locked row, it releases its connection and starts again, for as long
   * as an act may take. `isLong`: one of them has a statement timeout of its own.
   */
  inOneTransaction<T>(work: (query: Query, queryFor: QueryFor) => Promise<T>, isLong: boolean): Promise<T> {
    return this.#act(() => untilUnlocked(this.#statementMs, () => this.#transact(work, undefined, undefined, isLong)));
  }

  async #transact<T>(
    work: (query: Query, queryFor: QueryFor) => Promise<T>,
    statementMs?: number,
    signal?: AbortSignal,
    isLong?: boolean,
  ): Promise<T> {
    const startedAt = performance.now();
    const attempt = (): Promise<T> =>
      this.#transactions.run(work, statementMs, signal, isLong).catch(async (error: unknown) => {
        if (error instanceof Unreached && (await this.#servers.isBackSoon(startedAt))) return attempt();
        throw error;
      });
    const result = await untilNoConflict(attempt).catch((error: unknown) => {
      if (isReadOnly(error)) this.#retireAll();
      throw error;
    });
    this.#committed++;
    this.#commits++;
    return result;
  }

  /** At startup: checks the operator's settings, and whether two addresses accept writes. */
  async lookAround(): Promise<void> {
    const off = await this.read<{ name: string }>(SETTINGS);
    this.#isLossy = off.some(({ name }) => name === 'synchronous_commit');
    await this.#addresses.look();
  }

  get #connections(): PipelinedConnection[] {
    return [...this.#readConnections, ...this.#writeConnections, ...this.#sharedConnections];
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  problems(): readonly Problem[] {
    const { problem } = this.#locks;
    const { problem: split } = this.#addresses;
    return [
      ...(this.#schemaFault.isRecent ? [describeSchemaFault(this.#schemaFault.last)] : []),
      ...(problem ? [problem] : []),
      ...(this.#failedWrite.isRecent ? [DISK_PROBLEM] : []),
      ...(this.#refusedWrite.isRecent ? [READ_ONLY_PROBLEM] : []),
      ...(split ? [split] : []),
      ...(this.#isLossy ? [LOSSY_PROBLEM] : []),
    ];
  }

  figures(): StorageFigures {
    const connections = this.#connections.filter((connection) => connection.open);
    const { open, idle, waiting } = this.#transactions.figures;
    return {
      committedActs: this.#committed,
      committedBatches: this.#commits,
      connections: {
        open: open + connections.length,
        idle: idle + connections.filter((connection) => connection.inFlight === 0).length,
        waiting,
      },
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#locks.close();
    this.#addresses.close();
    if (this.#inFlight > 0) await new Promise<void>((resolve) => (this.#idle = resolve));
    await Promise.all([...this.#connections, this.#transactions].map((held) => held.close()));
  }

  async #act<T>(act: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new StorageUnavailable('The storage has been closed.');
    if (this.#inFlight >= MAX_IN_FLIGHT) throw new StorageUnavailable('Too many acts are waiting for PostgreSQL.');
    this.#inFlight++;
    try {
      return await act();
    } catch (error) {
      if (isUnwritable(error)) this.#failedWrite.note();
      if (isReadOnly(error)) this.#refusedWrite.note();
      if (isSchemaFault(error)) this.#schemaFault.note(error);
      if (isUnderLock(error) || isCancelled(error) || error instanceof LockedOut) this.#locks.look();
      throw toPortError(error);
    } finally {
      this.#inFlight--;
      if (this.#inFlight === 0) this.#idle?.();
    }
  }

  #send<Row extends pg.QueryResultRow>(
    connections: PipelinedConnection[],
    { name, text }: Statement,
    values: unknown[],
    {
      repeatable = false,
      now = false,
      withinMs,
    }: { repeatable?: boolean; now?: boolean; withinMs?: number | undefined },
  ): Promise<Row[]> {
    const startedAt = performance.now();
    let repeats = 0;
    let usable = connections;
    let isLost = false;
    const attempt = async (connection = chooseConnection(usable)): Promise<Row[]> => {
      const named = this.#naming && !isLost;
      try {
        const { rows } = await connection.query(named ? { name, text, values } : { text, values }, withinMs);
        this.#respondedAt = performance.now();
        return rows;
      } catch (error) {
        if (isReadOnly(error)) this.#retireAll();
        else if (isTimeout(error)) this.#retire(connection);
        // No connection is available now: use any that is already open.
        const open = error instanceof StorageUnavailable ? this.#connections.filter((each) => each.open) : [];
        if (usable === connections && open.length > 0) {
          usable = open;
          return attempt();
        }
        if (error instanceof Unreached && !now && (await this.#servers.isBackSoon(startedAt))) {
          usable = connections;
          return attempt();
        }
        if (named && isAboutPreparedStatement(error)) {
          isLost = true;
          this.#noteLostName(connection);
          return attempt();
        }
        const didNothing = wasNotSent(error) || isReadOnly(error);
        if (repeats < MAX_REPEATS && (didNothing || (repeatable && isConnectionLost(error)))) {
          repeats++;
          // On a new connection: the others may be lost too, which shows only when they are used.
          return attempt(connection);
        }
        throw error;
      }
    };
    return untilNoConflict(() => attempt());
  }

  #noteLostName(connection: PipelinedConnection): void {
    connection.retire();
    const now = performance.now();
    if (now < (this.#lostNames.at(-1) ?? Number.NEGATIVE_INFINITY) + LOST_NAMES_MS.apart) return;
    this.#lostNames = [...this.#lostNames.filter((at) => at > now - LOST_NAMES_MS.within), now];
    if (this.#lostNames.length === MAX_LOST_NAMES) this.#naming = false;
  }

  /**
   * A server that stopped responding on one connection may be gone, and the other connections would find out only one
   * by one, each after its timeout. If it responds on others, it has only not reached this act, which may wait for a
   * row.
   */
  #retire(connection: PipelinedConnection): void {
    const now = performance.now();
    if (now < this.#respondedAt + RESPONDS_MS) connection.retire();
    else if (now > this.#retiredAt + this.#statementMs) this.#retireAll();
  }

  /** Reads move too: the old address no longer receives new writes. */
  #retireAll(): void {
    this.#retiredAt = performance.now();
    for (const connection of this.#connections) connection.retire();
    this.#transactions.close().catch(() => {});
  }
}

/** An act that met a lock has changed nothing and is retried. */
export async function untilUnlocked<T>(statementMs: number, attempt: () => Promise<T>): Promise<T> {
  for (const lastTryAt = performance.now() + statementMs - 2 * LOCK_MS; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (!isUnderLock(error) || performance.now() > lastTryAt) throw error;
    }
  }
}

async function untilNoConflict<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || tries === MAX_TRIES) throw error;
      await sleep(Math.random() * Math.min(200, 5 * 2 ** tries));
    }
  }
}
