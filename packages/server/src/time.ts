const DAY_MS = 86_400_000;
const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/** Consecutive times are mostly on the same day. */
let day = Number.NaN;
let dayText = '';

/** UTC, `YYYY-MM-DD HH:MM:SS`. */
export function formatTime(milliseconds: number): string {
  const today = Math.floor(milliseconds / DAY_MS);
  if (today !== day) {
    dayText = `${new Date(today * DAY_MS).toISOString().slice(0, 10)} `;
    day = today;
  }
  const seconds = Math.floor((milliseconds - today * DAY_MS) / 1000);
  const hour = Math.floor(seconds / 3600);
  const minute = Math.floor(seconds / 60) % 60;
  // Built separately: V8 copies a string this short into one piece, but keeps a longer one as a tree of its parts.
  const clock = `${TWO_DIGITS[hour]}:${TWO_DIGITS[minute]}:${TWO_DIGITS[seconds % 60]}`;
  return dayText + clock;
}
