import { StorageUnavailable } from '../port.ts';
import { isConflict, isUnderLock, toPortError } from './errors.ts';
import { STATEMENT_MS } from './servers.ts';

/** So many statements of a kind are under way at once: PostgreSQL flushes one, carries out the next and has another to go on with. */
const UNDER_WAY = 3;
/** And so many of acts that go alone, which may wait for locks: never so many that they take every lane. */
const ALONE_UNDER_WAY = 4;
/** The first of a statement waits for its last, and while all that there are wait, nobody makes new ones. */
const MOST_ACTS = 16;
const MOST_CHARACTERS = 256 * 1024;
/** How long a statement waits for a row that somebody holds: whoever shares it, or comes after it on its lane, waits too. */
const LOCK_MS = 100;
/** The same for an act that goes alone for the first time: it may have been another of its statement that found a lock. */
const FIRST_LOCK_MS = 10;

type Held<Row> = {
  act: string;
  keys: Set<string>;
  /** How many of its keys are with others, who came before. */
  behind: number;
  lockMs: number;
  /** It was told that it took too long. */
  late: boolean;
  resolve(rows: Row[]): void;
  reject(error: unknown): void;
};

/**
 * Acts of one kind that share a statement, and so a commit. The statement takes them as an array in JSON (`$1`) and
 * answers rows that say by `no`, from 1, whose they are. Those of one turn of the event loop leave together; those that
 * come while others are under way wait for these, as SQLite's do for a flush. Of acts that have a key in common, one is
 * under way at a time, in the order in which they came.
 */
export class Gathering<Row extends { no: number }> {
  readonly #send: (acts: string, lockMs: number) => Promise<Row[]>;
  readonly #ready: Held<Row>[] = [];
  readonly #alone: Held<Row>[] = [];
  /** Of every key that somebody has: who comes next. */
  readonly #next = new Map<string, Held<Row>[]>();
  #underWay = 0;
  #aloneUnderWay = 0;
  #leaving = false;

  constructor(send: (acts: string, lockMs: number) => Promise<Row[]>) {
    this.#send = send;
  }

  add(act: object, keys: string[]): Promise<Row[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Row[]>();
    const held = {
      act: JSON.stringify(act),
      keys: new Set(keys),
      behind: 0,
      lockMs: LOCK_MS,
      late: false,
      resolve,
      reject,
    };
    const patience = setTimeout(() => {
      held.late = true;
      reject(new StorageUnavailable('PostgreSQL did not get to it in time.'));
    }, STATEMENT_MS);
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
    return promise.finally(() => clearTimeout(patience));
  }

  #leaveSoon(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    setImmediate(() => {
      this.#leaving = false;
      while (this.#underWay < UNDER_WAY) {
        const together = this.#choose();
        if (together.length === 0) break;
        void this.#commitTogether(together);
      }
      while (this.#aloneUnderWay < ALONE_UNDER_WAY) {
        const held = this.#alone.shift();
        if (!held) break;
        void this.#commitAlone(held);
      }
    });
  }

  #choose(): Held<Row>[] {
    const together: Held<Row>[] = [];
    let characters = 0;
    while (together.length < MOST_ACTS && characters <= MOST_CHARACTERS) {
      const held = this.#ready.shift();
      if (!held) break;
      if (held.late) this.#end(held);
      else {
        together.push(held);
        characters += held.act.length;
      }
    }
    return together;
  }

  async #commitTogether(together: Held<Row>[]): Promise<void> {
    this.#underWay++;
    const refusal = await this.#commit(together, LOCK_MS);
    this.#underWay--;
    const again = refusal !== undefined && (together.length > 1 ? isOfOne(refusal) : isUnderLock(refusal));
    if (again) {
      if (together.length > 1) for (const held of together) held.lockMs = FIRST_LOCK_MS;
      this.#alone.unshift(...together);
    } else for (const held of together) this.#end(held, refusal);
    this.#leaveSoon();
  }

  /** What was refused was undone as a whole. An act that still finds a row locked tries again for as long as any may take. */
  async #commitAlone(held: Held<Row>): Promise<void> {
    this.#aloneUnderWay++;
    const refusal = held.late ? undefined : await this.#commit([held], held.lockMs);
    this.#aloneUnderWay--;
    if (refusal && isUnderLock(refusal)) {
      held.lockMs = LOCK_MS;
      this.#alone.push(held);
    } else this.#end(held, refusal);
    this.#leaveSoon();
  }

  async #commit(together: Held<Row>[], lockMs: number): Promise<Error | undefined> {
    try {
      const rows = await this.#send(`[${together.map(({ act }) => act).join()}]`, lockMs);
      const rowsOf = Map.groupBy(rows, ({ no }) => no);
      for (const [index, held] of together.entries()) held.resolve(rowsOf.get(index + 1) ?? []);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  #end({ keys, reject }: Held<Row>, refusal?: Error): void {
    if (refusal) reject(refusal);
    for (const key of keys) {
      const next = this.#next.get(key)?.shift();
      if (!next) this.#next.delete(key);
      else if (--next.behind === 0) this.#ready.push(next);
    }
  }
}

/** Not the server's, or of all alike: the others may well succeed. */
function isOfOne(refusal: Error): boolean {
  return isUnderLock(refusal) || isConflict(refusal) || !(toPortError(refusal) instanceof StorageUnavailable);
}

/**
 * The acts of such a statement, whose columns are told as json_to_recordset takes them: a CTE to begin with. `$2` is for how
 * many milliseconds it waits for a lock.
 */
export function actsOf(columns: Record<string, string>): string {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const typed = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`);
  // Local to the transaction that the statement is: nothing of it stays with the connection.
  return `patience as materialized (select set_config('lock_timeout', $2, true)),
    acts as materialized (
      select a.* from patience, rows from (json_to_recordset($1::json) as (${typed.join(', ')}))
        with ordinality as a (${names.join(', ')}, no)
    )`;
}
