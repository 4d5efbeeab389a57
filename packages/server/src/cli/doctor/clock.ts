import { showRoughly, showTime } from '../time.ts';
import { type Check, failed, passed } from './check.ts';

/** Clocks of replicas may differ by this much and nobody is wrong. */
const TOLERANCE_MS = 60_000;
/** This version was made in this year: no right clock is before it. */
const FIRST_YEAR = 2026;
const LAST_YEAR = 2100;

/** Tokens end by the clock. What the database holds was written in the past, whichever machine wrote it. */
export function checkClock(writtenTimes: readonly number[], now = Date.now()): Check {
  const wayOut = 'Set the clock of this machine, best by NTP: timedatectl set-ntp true';
  const year = new Date(now).getUTCFullYear();
  if (year < FIRST_YEAR || year > LAST_YEAR) return failed('clock', `${showTime(now)} UTC cannot be right`, wayOut);
  const newest = writtenTimes.reduce((latest, time) => Math.max(latest, time), 0);
  if (newest > now + TOLERANCE_MS) {
    const detail = `${showTime(now)} UTC is ${showRoughly(newest - now)} before the newest record of the database`;
    return failed('clock', detail, `${wayOut}. If this one is right, the clock of another replica was ahead.`);
  }
  return passed('clock', `${showTime(now)} UTC`);
}
