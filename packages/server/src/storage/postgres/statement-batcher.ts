import { StorageUnavailable } from '../port.ts';
import { isConflict, isUnderLock, toPortError } from './errors.ts';
import { LOCK_MS } from './servers.ts';

/** Acts in flight that have met a lock: few enough to leave connections for others. */
const ALONE_IN_FLIGHT = 4;
const MAX_CHARACTERS = 256 * 1024;
/** Lock timeout of an act that runs alone for the first time: there may be no lock, or only a short one. */
const FIRST_LOCK_MS = 10;
/** Beyond this many acts waiting for locked rows, further ones fail immediately, to leave room for others. */
const MAX_ALONE = 500;
/** Minimum time for an act that has waited long before it is sent. */
const SHORTEST_MS = 1_000;

type How = { lockMs: number; alone: boolean; withinMs: number };

/** Acts that the same statement runs. */
export type Kind<Act, Row> = {
  /**
   * Runs the acts in one statement and returns the rows of each. `locked`: nothing was done for this act, because its
   * row is locked; it is sent again `alone`, which waits for the row.
   */
  send(acts: Act[], how: How): Promise<(Row[] | 'locked')[]>;
  /** Maximum number of statements in flight. */
  inFlight: number;
  /** Maximum number of acts per statement: the first waits for the last, and clients that wait send no new ones. */
  maxBatch: number;
  charactersOf(act: Act): number;
};

type Held<Act, Row> = {
  act: Act;
  keys: Set<string>;
  /** How many of its keys are held by earlier acts. */
  behind: number;
  lockMs: number;
  lastTryAt: number;
  /** Sent without a response yet: only the server's response decides its outcome. */
  inFlight: boolean;
  /** Its deadline has passed. */
  late: boolean;
  resolve(rows: Row[]): void;
  reject(error: unknown): void;
};

type Sent<Act, Row> = { refusal?: Error; locked: Set<Held<Act, Row>> };

/**
 * Runs acts of one kind; an act delays only acts that need the same rows. Acts from one turn of the event loop share a
 * statement, and so a commit; later ones wait until a statement in flight ends, as SQLite's wait for a flush. Acts with
 * a common key run one at a time, in order.
 */
export class StatementBatcher<Act, Row> {
  readonly #kind: Kind<Act, Row>;
  readonly #statementMs: number;
  readonly #ready: Held<Act, Row>[] = [];
  readonly #alone: Held<Act, Row>[] = [];
  /** For every key in use: the acts waiting for it, in order. */
  readonly #next = new Map<string, Held<Act, Row>[]>();
  #inFlight = 0;
  #aloneInFlight = 0;
  #leaving = false;

  constructor(kind: Kind<Act, Row>, statementMs: number) {
    this.#kind = kind;
    this.#statementMs = statementMs;
  }

  add(act: Act, keys: string[]): Promise<Row[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Row[]>();
    const held = {
      act,
      keys: new Set(keys),
      behind: 0,
      lockMs: FIRST_LOCK_MS,
      lastTryAt: performance.now() + this.#statementMs - 2 * LOCK_MS,
      inFlight: false,
      late: false,
      resolve,
      reject,
    };
    const timer = setTimeout(() => {
      held.late = true;
      if (!held.inFlight) reject(late());
    }, this.#statementMs);
    for (const key of held.keys) {
      const waiting = this.#next.get(key);
      if (!waiting) this.#next.set(key, []);
      else {
        waiting.push(held);
        held.behind++;
      }
    }
    if (held.behind === 0) this.#ready.push(held);
    this.#leaveSoon();
    return promise.finally(() => clearTimeout(timer));
  }

  #leaveSoon(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    setImmediate(() => {
      this.#leaving = false;
      while (this.#inFlight < this.#kind.inFlight) {
        const together = this.#choose();
        if (together.length === 0) break;
        void this.#commitTogether(together);
      }
      while (this.#aloneInFlight < ALONE_IN_FLIGHT) {
        const held = this.#alone.shift();
        if (!held) break;
        void this.#commitAlone(held);
      }
    });
  }

  #choose(): Held<Act, Row>[] {
    const together: Held<Act, Row>[] = [];
    let characters = 0;
    while (together.length < this.#kind.maxBatch && characters <= MAX_CHARACTERS) {
      const held = this.#ready.shift();
      if (!held) break;
      if (held.late) this.#end(held, late());
      else {
        together.push(held);
        characters += this.#kind.charactersOf(held.act);
      }
    }
    return together;
  }

  async #commitTogether(together: Held<Act, Row>[]): Promise<void> {
    this.#inFlight++;
    const lockMs = this.#kind.maxBatch > 1 ? LOCK_MS : FIRST_LOCK_MS;
    const { refusal, locked } = await this.#commit(together, lockMs, false);
    this.#inFlight--;
    if (refusal && together.length > 1 && isOfOne(refusal)) {
      // One of them caused the error, and it is not known which.
      this.#alone.unshift(...together);
    } else for (const held of together) this.#settle(held, refusal, locked);
    this.#leaveSoon();
  }

  /** A failed statement was rolled back. An act that still finds a row locked retries until its deadline. */
  async #commitAlone(held: Held<Act, Row>): Promise<void> {
    this.#aloneInFlight++;
    if (held.late) this.#end(held, late());
    // A sent act ends by its deadline: a client that got Retry-After can rely on nothing having been done.
    else if (performance.now() > held.lastTryAt)
      this.#end(held, new LockedOut('PostgreSQL: the rows it needs stayed locked.'));
    else {
      const { refusal, locked } = await this.#commit([held], held.lockMs, true);
      this.#settle(held, refusal, locked);
    }
    this.#aloneInFlight--;
    this.#leaveSoon();
  }

  async #commit(together: Held<Act, Row>[], lockMs: number, alone: boolean): Promise<Sent<Act, Row>> {
    const locked = new Set<Held<Act, Row>>();
    const acts = together.map(({ act }) => act);
    const left = Math.min(...together.map(({ lastTryAt }) => lastTryAt)) - performance.now();
    for (const held of together) held.inFlight = true;
    try {
      const results = await this.#kind.send(acts, { lockMs, alone, withinMs: Math.max(SHORTEST_MS, left) });
      for (const [index, held] of together.entries()) {
        const rows = results[index] ?? [];
        if (rows === 'locked') locked.add(held);
        else held.resolve(rows);
      }
      return { locked };
    } catch (error) {
      return { refusal: error as Error, locked };
    } finally {
      for (const held of together) held.inFlight = false;
    }
  }

  /** The lock may last or not: the act waits for it, alone. */
  #settle(held: Held<Act, Row>, refusal: Error | undefined, locked: Set<Held<Act, Row>>): void {
    const isLocked = refusal ? isUnderLock(refusal) : locked.has(held);
    if (!isLocked) this.#end(held, refusal);
    else if (this.#alone.length >= MAX_ALONE) {
      this.#end(held, new LockedOut('PostgreSQL: too many acts are waiting for locks.'));
    } else {
      held.lockMs = LOCK_MS;
      this.#alone.push(held);
    }
  }

  #end({ keys, reject }: Held<Act, Row>, refusal?: Error): void {
    if (refusal) reject(refusal);
    for (const key of keys) {
      const next = this.#next.get(key)?.shift();
      if (!next) this.#next.delete(key);
      else if (--next.behind === 0) this.#ready.push(next);
    }
  }
}

/** A row stayed locked for as long as an act may take. */
export class LockedOut extends StorageUnavailable {}

const late = (): Error => new StorageUnavailable('PostgreSQL did not run it in time.');

/** Whether the error concerns one act of the batch, so that the others may succeed. */
function isOfOne(refusal: Error): boolean {
  return isUnderLock(refusal) || isConflict(refusal) || !(toPortError(refusal) instanceof StorageUnavailable);
}

/**
 * A CTE that sets the statement's lock timeout in milliseconds: every part that takes a lock must read from it. It
 * applies to the statement's transaction only.
 */
export const lockTimeout = (parameter: `$${number}`): string =>
  `lock_wait as materialized (select set_config('lock_timeout', ${parameter}, true))`;

/**
 * CTEs for many acts in one statement, as a JSON array (`$1`; `$2` is the lock timeout), with columns declared for
 * json_to_recordset. Result rows refer to their act by `no`, from 1.
 */
export function actsOf(columns: Record<string, string>): string {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const typed = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`);
  return `${lockTimeout('$2')},
    acts as materialized (
      select a.* from lock_wait, rows from (json_to_recordset($1::json) as (${typed.join(', ')}))
        with ordinality as a (${names.join(', ')}, no)
    )`;
}
