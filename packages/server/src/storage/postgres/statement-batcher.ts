import { StorageUnavailable } from '../port.ts';
import { isConflict, isUnderLock, toPortError } from './errors.ts';
import { LOCK_MS } from './servers.ts';

/** Acts that have met a lock and are in flight at once: never so many that they take every lane. */
const ALONE_IN_FLIGHT = 4;
const MAX_CHARACTERS = 256 * 1024;
/** The same for an act that goes alone for the first time: there may be no lock, or none that it has to wait for for long. */
const FIRST_LOCK_MS = 10;
/** Beyond this many acts that wait for locked rows, further ones are refused at once: they would take the room of everybody else. */
const MAX_ALONE = 500;
/** What an act that has waited for long has once it is sent. */
const SHORTEST_MS = 1_000;

type How = { lockMs: number; alone: boolean; withinMs: number };

/** Acts that are carried out by the same statement. */
export type Kind<Act, Row> = {
  /**
   * Carries them out in one statement, and answers the rows of each. `locked`: nothing was done for this one, as somebody holds its
   * row; it is sent again `alone`, which waits for the row.
   */
  send(acts: Act[], how: How): Promise<(Row[] | 'locked')[]>;
  /** Statements in flight at once. */
  inFlight: number;
  /** So many acts are in one: its first waits for its last, and while all that there are wait, nobody makes new ones. */
  maxBatch: number;
  charactersOf(act: Act): number;
};

type Held<Act, Row> = {
  act: Act;
  keys: Set<string>;
  /** How many of its keys are with others, who came before. */
  behind: number;
  lockMs: number;
  lastTryAt: number;
  /** It was sent and is not answered: what is said of it is what the server says. */
  inFlight: boolean;
  /** Its time is up. */
  late: boolean;
  resolve(rows: Row[]): void;
  reject(error: unknown): void;
};

type Sent<Act, Row> = { refusal?: Error; locked: Set<Held<Act, Row>> };

/**
 * Acts of one kind, which keep nobody waiting who does not wait for the same rows. Several may share a statement, and so a commit:
 * those of one turn of the event loop leave together; those that come while others are in flight wait for these, as SQLite's
 * do for a flush. Of acts that have a key in common, one is in flight at a time, in the order in which they came.
 */
export class StatementBatcher<Act, Row> {
  readonly #kind: Kind<Act, Row>;
  readonly #statementMs: number;
  readonly #ready: Held<Act, Row>[] = [];
  readonly #alone: Held<Act, Row>[] = [];
  /** Of every key that somebody has: who comes next. */
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
      // One of them has met it, and nobody knows which.
      this.#alone.unshift(...together);
    } else for (const held of together) this.#settle(held, refusal, locked);
    this.#leaveSoon();
  }

  /** What was refused was undone as a whole. An act that still finds a row locked tries again for as long as any may take. */
  async #commitAlone(held: Held<Act, Row>): Promise<void> {
    this.#aloneInFlight++;
    if (held.late) this.#end(held, late());
    // A sent act is over when its time is up: a client that got Retry-After can rely on it that nothing was done.
    else if (performance.now() > held.lastTryAt)
      this.#end(held, new LockedOut('PostgreSQL: what it needs stayed locked.'));
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
      const answers = await this.#kind.send(acts, { lockMs, alone, withinMs: Math.max(SHORTEST_MS, left) });
      for (const [index, held] of together.entries()) {
        const rows = answers[index] ?? [];
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

  /** A locked row says nothing of whether it stays: the act waits for it, alone. */
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

/** For as long as an act may take. */
export class LockedOut extends StorageUnavailable {}

const late = (): Error => new StorageUnavailable('PostgreSQL did not get to it in time.');

/** Not the server's, or of all alike: the others may well succeed. */
function isOfOne(refusal: Error): boolean {
  return isUnderLock(refusal) || isConflict(refusal) || !(toPortError(refusal) instanceof StorageUnavailable);
}

/**
 * A CTE to begin with, which says how many milliseconds the statement waits for a lock: every part that takes one has to read from it. It is
 * local to the transaction that the statement is: nothing of it stays with the connection.
 */
export const lockTimeout = (parameter: `$${number}`): string =>
  `lock_wait as materialized (select set_config('lock_timeout', ${parameter}, true))`;

/**
 * Many acts in one statement, as an array in JSON (`$1`; `$2` is its lock_wait), whose columns are declared as json_to_recordset takes them:
 * CTEs to begin with. It answers rows that say by `no`, from 1, whose they are.
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
