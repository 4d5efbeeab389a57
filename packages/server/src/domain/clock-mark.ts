import type { Problem, Storage } from '../storage/port.ts';
import { showRoughly } from './duration.ts';

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
export class ClockMark {
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
      if (!(await this.#facts.replace(FACT, stored, JSON.stringify(mark)))) continue;
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
