import { StorageUnavailable } from '../port.ts';
import { isUnderLock, toPortError } from './errors.ts';
import { STATEMENT_MS } from './servers.ts';

/** So many statements of a kind are under way at once: while PostgreSQL flushes one, it carries out the next. */
const UNDER_WAY = 2;
/** The first of a statement waits for its last. */
const MOST_ACTS = 64;
const MOST_CHARACTERS = 256 * 1024;
/** How long a statement waits for a row that somebody holds: whoever shares it, or comes after it on its lane, waits too. */
const LOCK_MS = 100;

type Held<Row> = {
  act: string;
  keys: string[];
  until: number;
  resolve(rows: Row[]): void;
  reject(error: unknown): void;
};

/**
 * Acts of one kind that share a statement, and so a commit. The statement takes them as an array in JSON (`$1`) and
 * answers rows that say by `no`, from 1, whose they are. Those of one turn of the event loop leave together; those that
 * come while others are under way wait for these, as SQLite's do for a flush. Of acts that
 * have a key in common, one is under way at a time.
 */
export class Gathering<Row extends { no: number }> {
  readonly #send: (acts: string) => Promise<Row[]>;
  #waiting: Held<Row>[] = [];
  readonly #keysUnderWay = new Set<string>();
  #underWay = 0;
  #leaving = false;

  constructor(send: (acts: string) => Promise<Row[]>) {
    this.#send = send;
  }

  add(act: object, keys: string[]): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      const until = performance.now() + STATEMENT_MS;
      this.#waiting.push({ act: JSON.stringify(act), keys, until, resolve, reject });
      this.#leaveSoon();
    });
  }

  #leaveSoon(): void {
    if (this.#leaving || this.#waiting.length === 0) return;
    this.#leaving = true;
    setImmediate(() => {
      this.#leaving = false;
      while (this.#underWay < UNDER_WAY) {
        const together = this.#choose();
        if (together.length === 0) return;
        void this.#commitTogether(together);
      }
    });
  }

  #choose(): Held<Row>[] {
    const together: Held<Row>[] = [];
    let characters = 0;
    const now = performance.now();
    this.#waiting = this.#waiting.filter((held) => {
      if (held.until < now) held.reject(new StorageUnavailable('PostgreSQL: somebody holds a row for too long.'));
      else if (together.length === MOST_ACTS || characters > MOST_CHARACTERS || this.#isUnderWay(held)) {
        return true;
      } else {
        for (const key of held.keys) this.#keysUnderWay.add(key);
        together.push(held);
        characters += held.act.length;
      }
      return false;
    });
    return together;
  }

  #isUnderWay({ keys }: Held<Row>): boolean {
    return keys.some((key) => this.#keysUnderWay.has(key));
  }

  async #commitTogether(together: Held<Row>[]): Promise<void> {
    this.#underWay++;
    const refusal = await this.#commit(together);
    this.#underWay--;
    const again = refusal !== undefined && (together.length > 1 ? isOfOne(refusal) : isUnderLock(refusal));
    for (const held of together) {
      if (again) void this.#commitAlone(held);
      else this.#end(held, refusal);
    }
    this.#leaveSoon();
  }

  /** What was refused was undone as a whole. An act that still finds a row locked tries again for as long as any may take. */
  async #commitAlone(held: Held<Row>): Promise<void> {
    let refusal: Error | undefined;
    do refusal = await this.#commit([held]);
    while (refusal && isUnderLock(refusal) && performance.now() < held.until);
    this.#end(held, refusal);
    this.#leaveSoon();
  }

  async #commit(together: Held<Row>[]): Promise<Error | undefined> {
    try {
      const rows = await this.#send(`[${together.map(({ act }) => act).join()}]`);
      const rowsOf = Map.groupBy(rows, ({ no }) => no);
      for (const [index, held] of together.entries()) held.resolve(rowsOf.get(index + 1) ?? []);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  #end({ keys, reject }: Held<Row>, refusal?: Error): void {
    for (const key of keys) this.#keysUnderWay.delete(key);
    if (refusal) reject(refusal);
  }
}

/** Not the server's, or of all alike: the others may well succeed. */
function isOfOne(refusal: Error): boolean {
  return isUnderLock(refusal) || !(toPortError(refusal) instanceof StorageUnavailable);
}

/** The acts of such a statement, whose columns are told as json_to_recordset takes them: a CTE to begin with. */
export function actsOf(columns: Record<string, string>): string {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const typed = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`);
  // Local to the transaction that the statement is: nothing of it stays with the connection.
  return `patience as materialized (select set_config('lock_timeout', '${LOCK_MS}', true)),
    acts as materialized (
      select a.* from patience, rows from (json_to_recordset($1::json) as (${typed.join(', ')}))
        with ordinality as a (${names.join(', ')}, no)
    )`;
}
