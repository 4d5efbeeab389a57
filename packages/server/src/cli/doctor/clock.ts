import {
  Clock,
  isSuspicious,
  type Mark,
  NOTICED_MS,
  readMark,
  SET_IF_WRONG,
  SET_THE_CLOCK,
  TOLERATED_MS,
} from '../../domain/clock.ts';
import type { Storage } from '../../storage/port.ts';
import { showRoughly, showTime } from '../time.ts';
import { type Check, failed, passed, warned } from './check.ts';

/** This version was made in this year: a correct clock is not before it. */
const FIRST_YEAR = 2026;
const LAST_YEAR = 2100;
const DAY_MS = 86_400_000;
const SET_THIS_CLOCK = 'Synchronise this machine with NTP: timedatectl set-ntp true';

/** `skewMs` is undefined for SQLite: a file has no clock to compare with. */
export type ClockReading = { skewMs: number | undefined; mark: Mark | undefined };

export async function readClock(storage: Storage): Promise<ClockReading> {
  const clock = new Clock(storage);
  await clock.measure();
  return {
    skewMs: storage.kind === 'postgres' ? clock.skewMs : undefined,
    mark: await readMark(storage.facts),
  };
}

/**
 * Records are written in the past, whichever machine wrote them: if the clock is behind the newest one, it was wrong
 * then or is wrong now.
 */
export function checkClock(writtenTimes: readonly number[], reading?: ClockReading, now = Date.now()): Check {
  const time = `${showTime(now)} UTC`;
  const year = new Date(now).getUTCFullYear();
  if (year < FIRST_YEAR || year > LAST_YEAR) return failed('clock', `${time} is not plausible`, SET_THIS_CLOCK);

  const { skewMs, mark } = reading ?? {};
  if (skewMs !== undefined && Math.abs(skewMs) > NOTICED_MS) {
    const by = `${showRoughly(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} the database's clock`;
    if (Math.abs(skewMs) <= TOLERATED_MS) return warned('clock', `${time} is ${by}`, SET_THE_CLOCK);
    return failed('clock', `${time} is ${by}; \`innkeeper serve\` refuses to start`, SET_THE_CLOCK);
  }
  const newest = [...writtenTimes, mark?.at ?? 0].reduce((latest, each) => Math.max(latest, each), 0);
  if (newest > now + TOLERATED_MS) {
    const detail = `${time} is ${showRoughly(newest - now)} before the newest record in the database`;
    return failed(
      'clock',
      detail,
      `${SET_THIS_CLOCK}. If this clock is right, the clock of another replica was ahead.`,
    );
  }
  const seen = mark ? `, last seen in the database at ${showTime(mark.at)}` : '';
  if (mark && isSuspicious(mark)) {
    const jump = `the clock jumped ${showRoughly(Math.abs(mark.doubtMs))} ${mark.doubtMs > 0 ? 'ahead' : 'back'}`;
    const detail = `${time}${seen}; ${jump} or the service was off: purging is paused for ${showRoughly(mark.waitMs)}`;
    return warned('clock', detail, SET_IF_WRONG);
  }
  if (mark && skewMs === undefined && now - mark.at > DAY_MS) {
    const detail = `${time} is ${showRoughly(now - mark.at)} after the time last seen in the database: the clock is ahead, or the service was off`;
    return warned('clock', detail, SET_IF_WRONG);
  }
  const skew = skewMs === undefined ? seen : `, ${Math.round(Math.abs(skewMs))} ms from the database's clock`;
  return passed('clock', `${time}${skew}`);
}
