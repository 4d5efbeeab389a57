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

/** UTC, as everywhere, with the milliseconds that a copy must not lose. */
export function writeTransferTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 23).replace('T', ' ');
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,3})\d{0,6})?Z?$/;

/** `YYYY-MM-DD HH:MM:SS`, with or without a fraction, or ISO 8601 in UTC. */
export function readTransferTime(text: string): number | undefined {
  const parts = TIME.exec(text);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const time = Date.UTC(year, month - 1, day, hour, minute, second, Number((parts[7] ?? '').padEnd(3, '0')));
  // February 31 would become a day in March.
  const date = new Date(time);
  const same = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  return same && time >= 0 ? time : undefined;
}

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

export const DURATION_FORM = 'a number with s, m, h or d, for example 24h';

/** Seconds from `"10m"`, or from the number 600. A string needs its unit: `24` could be hours or seconds. */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  const match = typeof value === 'string' ? /^(\d{1,12})([smhd])$/.exec(value) : null;
  return match ? Number(match[1]) * (SECONDS[match[2] as string] as number) : undefined;
}

export const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** An approximate duration in the largest unit of which there are at least two: for an age or a time left. */
export function showRoughly(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [unit, size] = UNITS.find(([, size]) => seconds >= 2 * size) ?? UNITS[3];
  return counted(Math.floor(seconds / size), unit);
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
