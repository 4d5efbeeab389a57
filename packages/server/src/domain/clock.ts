import type { Problem, Storage } from '../storage/port.ts';
import { ClockMark } from './clock-mark.ts';
import { showRoughly } from './duration.ts';

/** A larger skew is reported. */
export const NOTICED_MS = 2_000;
/** A larger skew is a wrong clock: nothing is signed, purged or rotated, and `serve` refuses to start. */
export const TOLERATED_MS = 60_000;
/** A reported skew is over once it is below this, so that one that fluctuates is reported once. */
const ENDED_MS = 1_000;
const MEASURE_MS = 5_000;
/** Half a round trip; slower measurements do not set the time. */
const PRECISE_MS = 1_000;
export const SET_THE_CLOCK = 'Set the clocks of both machines by NTP: timedatectl set-ntp true';

export class ClockWrong extends Error {
  override name = 'ClockWrong';
}

/** Where the time comes from; tests inject their own. */
export type TimeSources = { wall(): number; monotonic(): number };
const SYSTEM: TimeSources = { wall: () => Date.now(), monotonic: () => performance.now() };

type State = 'right' | 'off' | 'wrong';

/**
 * The time of the whole service (decision 40). With PostgreSQL it is the database's: measured every few seconds and
 * advanced by the monotonic clock, so replicas agree even if their own clocks differ. While the two differ by more than
 * a minute, one of them is wrong and there is no telling which: the time then continues from the last good measurement,
 * and `isTrusted` is false. A SQLite file has no clock: there the time is the machine's, and only ClockMark guards what
 * is deleted.
 */
export class Clock {
  readonly #storage: Pick<Storage, 'clock' | 'facts'>;
  readonly #sources: TimeSources;
  readonly #mark: ClockMark;
  #anchor: { time: number; monotonic: number } | undefined;
  #skewMs = 0;
  #state: State = 'right';
  #timer: NodeJS.Timeout | undefined;

  constructor(storage: Pick<Storage, 'clock' | 'facts'>, sources: TimeSources = SYSTEM) {
    this.#storage = storage;
    this.#sources = sources;
    this.#mark = new ClockMark(storage);
  }

  /** Throws ClockWrong before anything is written with a wrong clock. */
  async start(): Promise<void> {
    await this.measure();
    if (this.#state === 'wrong') throw new ClockWrong(this.#describeSkew());
    await this.mayPurgeBefore();
    this.#timer = setInterval(() => {
      // A database that does not respond is reported elsewhere; the time continues without it.
      this.measure().catch(() => {});
    }, MEASURE_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  readonly now = (): number => {
    if (!this.#anchor) return this.#sources.wall();
    return Math.round(this.#anchor.time + this.#sources.monotonic() - this.#anchor.monotonic);
  };

  /** While false, no token is signed, no key is made, and /readyz fails. */
  get isTrusted(): boolean {
    return this.#state !== 'wrong';
  }

  /** How far this machine's clock is ahead of the database's; 0 for SQLite. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /**
   * Rows that expired before this time have certainly expired, even if the clock has jumped; undefined while nothing
   * may be purged. Call it about once a minute: it moves the database's mark.
   */
  async mayPurgeBefore(): Promise<number | undefined> {
    return this.isTrusted ? this.#mark.move(this.now()) : undefined;
  }

  /** The same without a query. */
  readonly certain = (): number => this.#mark.certain(this.now());

  get mayRotate(): boolean {
    return this.isTrusted && this.#mark.isCertain;
  }

  problems(): Problem[] {
    const skew: Problem[] = [];
    if (this.#state !== 'right') {
      const effect = this.#state === 'wrong' ? 'down' : 'none';
      skew.push({ kind: 'clock', message: this.#describeSkew(), effect });
    }
    return [...skew, ...this.#mark.problems()];
  }

  async measure(): Promise<void> {
    const before = { wall: this.#sources.wall(), monotonic: this.#sources.monotonic() };
    const database = await this.#storage.clock.read();
    if (database === undefined) return;
    // The database read its clock at some point in between: the middle is off by at most half the time.
    const halfMs = (this.#sources.monotonic() - before.monotonic) / 2;
    const isFirst = this.#anchor === undefined;
    const isPrecise = isFirst || halfMs <= PRECISE_MS;
    const skewMs = before.wall + halfMs - database;
    const state = judge(Math.max(0, Math.abs(skewMs) - halfMs), this.#state);
    // A slow measurement can still show that the clocks differ, but not that they agree.
    if (!isPrecise && state === 'right') return;
    this.#skewMs = skewMs;
    this.#state = state;
    if (!isPrecise || (state === 'wrong' && !isFirst)) return;
    this.#anchor = { time: database, monotonic: before.monotonic + halfMs };
  }

  #describeSkew(): string {
    const by = showRoughly(Math.round(Math.abs(this.#skewMs) / 1000) * 1000);
    const side = this.#skewMs > 0 ? 'ahead of' : 'behind';
    const stops = this.#state === 'wrong' ? ' No token is signed, nothing purged.' : '';
    return `The clock of this machine is ${by} ${side} the database's.${stops} ${SET_THE_CLOCK}`;
  }
}

function judge(skewMs: number, before: State): State {
  if (skewMs > TOLERATED_MS) return 'wrong';
  return skewMs > (before === 'right' ? NOTICED_MS : ENDED_MS) ? 'off' : 'right';
}
