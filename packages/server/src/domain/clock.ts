import type { Problem, Storage } from '../storage/port.ts';
import { showRoughly } from '../time.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** The mark is moved about once a minute; a restart takes less than this. */
const PLAUSIBLE_MS = 5 * MINUTE_MS;
/** How long a jump is doubted: time for an operator to notice it and set the clock. */
const DOUBT_MS = DAY_MS;
const FACT = 'clock-mark';
const MAX_TRIES = 5;
export const SET_IF_WRONG =
  'If the clock is wrong, set it by NTP (timedatectl set-ntp true); if it is right, nothing needs to be done.';

/**
 * The last time seen in this database, by any process. `doubtMs` is how far the clock has jumped since it was last
 * trusted: ahead if positive. It is trusted again after running for `waitMs`, or as soon as it is set back.
 */
export type Mark = { at: number; doubtMs: number; waitMs: number };

export async function readMark(facts: Storage['facts']): Promise<Mark | undefined> {
  const stored = await facts.get(FACT);
  return stored === undefined ? undefined : (JSON.parse(stored) as Mark);
}

/**
 * A gap may mean that nothing ran meanwhile or that the clock was set. The two cannot be told apart, so both are
 * doubted.
 */
function moveMark({ at, doubtMs, waitMs }: Mark, now: number): Mark {
  const gapMs = now - at;
  if (gapMs >= -MINUTE_MS && gapMs <= PLAUSIBLE_MS) {
    const rest = Math.max(0, waitMs - Math.max(0, gapMs));
    return { at: now, doubtMs: rest === 0 ? 0 : doubtMs, waitMs: rest };
  }
  const doubt = doubtMs + gapMs;
  if (Math.abs(doubt) <= PLAUSIBLE_MS) return { at: now, doubtMs: 0, waitMs: 0 };
  // The wait must also end for a service that is off every night.
  return { at: now, doubtMs: doubt, waitMs: waitMs === 0 || Math.abs(gapMs) > DAY_MS ? DOUBT_MS : waitMs };
}

/** A clock does not go back, and few services are off for more than a day. */
export function isSuspicious({ doubtMs }: Mark): boolean {
  return doubtMs < 0 || doubtMs > DAY_MS;
}

/** Keeps a clock jump from deleting anything: rows are purged only by the time that has certainly passed. */
class ClockMark {
  readonly #facts: Storage['facts'];
  readonly #clock: Storage['clock'];
  #mark: Mark | undefined;
  /** The clock jumped while this process ran, so the gap was not just a stopped service. */
  #jumped = false;
  #problem: string | undefined;

  constructor({ facts, clock }: Pick<Storage, 'facts' | 'clock'>) {
    this.#facts = facts;
    this.#clock = clock;
  }

  get isCertain(): boolean {
    return this.#mark?.doubtMs === 0;
  }

  certain(now: number): number {
    return now - Math.max(0, this.#mark?.doubtMs ?? 0);
  }

  /** Undefined if other processes moved the mark every time: they purge. */
  async move(now: number): Promise<number | undefined> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const stored = (await this.#facts.get(FACT)) ?? (await this.#settle(now));
      const mark = moveMark(JSON.parse(stored) as Mark, now);
      const moved = JSON.stringify(mark);
      if (moved !== stored && !(await this.#facts.replace(FACT, stored, moved))) continue;
      this.#note(mark);
      return this.certain(now);
    }
    return undefined;
  }

  problems(): Problem[] {
    return this.#problem === undefined ? [] : [{ kind: 'clock', message: this.#problem, effect: 'none' }];
  }

  /** A database older than marks starts with the time of its newest record. */
  async #settle(now: number): Promise<string> {
    const newest = (await this.#clock.newestRecord()) ?? now;
    return this.#facts.settle(FACT, JSON.stringify({ at: newest, doubtMs: 0, waitMs: 0 } satisfies Mark));
  }

  #note(mark: Mark): void {
    if (mark.doubtMs === 0) this.#jumped = false;
    else if (this.#mark && mark.doubtMs !== this.#mark.doubtMs) this.#jumped = true;
    this.#mark = mark;
    this.#problem = mark.doubtMs !== 0 && (this.#jumped || isSuspicious(mark)) ? describe(mark) : undefined;
  }
}

function describe({ doubtMs, waitMs }: Mark): string {
  const by = showRoughly(Math.abs(doubtMs));
  const what = doubtMs > 0 ? `${by} ahead of the newest record in the database` : `${by} behind the newest record`;
  return `The clock is ${what}. Nothing that ended in between is deleted for ${showRoughly(waitMs)}. ${SET_IF_WRONG}`;
}

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
    const stops = this.#state === 'wrong' ? ' No tokens are signed, and nothing is purged.' : '';
    return `The clock of this machine is ${by} ${side} the database's.${stops} ${SET_THE_CLOCK}`;
  }
}

function judge(skewMs: number, before: State): State {
  if (skewMs > TOLERATED_MS) return 'wrong';
  return skewMs > (before === 'right' ? NOTICED_MS : ENDED_MS) ? 'off' : 'right';
}
