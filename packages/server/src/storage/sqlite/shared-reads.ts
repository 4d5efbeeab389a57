import { messageOf } from '../../caught.ts';
import { StorageUnavailable } from '../port.ts';
import { RecentFailure } from '../problems.ts';
import { type Connection, connectToRead } from './connection.ts';
import { type DamageReport, damaged, isDamage, isUnreadable, NO_DAMAGE, toPortError } from './errors.ts';

/** Maximum length of the reads of one turn, besides the last. */
const SLICE_MS = 5;

type Waiting = { read(): unknown; reject(error: unknown): void };

/**
 * Reads for a thread that has other work: those requested in one turn of the event loop run at its end, in one
 * snapshot. Beginning and ending a snapshot costs SQLite more than finding a row. The snapshot begins after all
 * requests of the turn, so each sees everything that any process acknowledged before.
 */
export class SharedReads {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #failed = new RecentFailure();
  #waiting: Waiting[] = [];
  damage: DamageReport = NO_DAMAGE;

  readonly #checkFile: () => void;

  /** `checkFile` throws while the path leads to another file than the open one: then no result can be trusted. */
  constructor(path: string, checkFile: () => void) {
    this.#path = path;
    this.#connection = connectToRead(path);
    this.#checkFile = checkFile;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** The same reads, each at the end of the turn in which it is requested. */
  of<Reads extends object>(makeReads: (connection: Connection) => Reads): Reads {
    const reads = Object.entries(makeReads(this.#connection)).map(([name, read]: [string, AnyRead]) => {
      return [name, (...args: unknown[]) => this.#atEndOfTurn(() => read(...args))];
    });
    return Object.fromEntries(reads) as Reads;
  }

  /** Throws if nothing can be read, or if a read failed within the last minute. */
  check(): void {
    if (this.#failed.isRecent)
      throw new StorageUnavailable('The database file could not be read within the last minute.');
    try {
      this.#connection.statement('select count(*) from facts').get();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  close(): void {
    while (this.#waiting.length > 0) this.#run();
    this.#connection.close();
  }

  #atEndOfTurn(read: () => Promise<unknown>): Promise<unknown> {
    return new Promise((resolve, refuse) => {
      const reject = (error: unknown): void => refuse(this.#explain(error));
      const settle = (found: unknown): void => {
        const { finding } = this.damage;
        // A damaged file may hide existing rows.
        if (found === undefined && finding !== undefined) refuse(damaged(this.#path, finding));
        else resolve(found);
      };
      if (this.#waiting.push({ read: () => read().then(settle, reject), reject }) === 1)
        setImmediate(() => this.#run());
    });
  }

  #explain(error: unknown): unknown {
    if (isDamage(error)) this.damage.note(messageOf(error));
    else if (isUnreadable(error)) this.#failed.note();
    return toPortError(error, this.#path);
  }

  /** Leaves to the next turns what takes longer than a slice: the few reads that take milliseconds may come together. */
  #run(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    let done = 0;
    try {
      this.#checkFile();
      const until = performance.now() + SLICE_MS;
      this.#connection.snapshot(() => {
        do {
          waiting[done++]?.read();
        } while (done < waiting.length && performance.now() < until);
      });
    } catch (error) {
      // Has no effect on reads that already have a result.
      for (const { reject } of waiting) reject(error);
      return;
    }
    if (done === waiting.length) return;
    this.#waiting = [...waiting.slice(done), ...this.#waiting];
    setImmediate(() => this.#run());
  }
}

type AnyRead = (...args: unknown[]) => Promise<unknown>;
