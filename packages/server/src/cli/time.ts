import { counted, showRoughly, UNITS } from '../domain/duration.ts';

export { counted, showRoughly };

/** Times are UTC, `YYYY-MM-DD HH:MM:SS`. */
export function showTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

/** The inverse. */
export function readTime(text: string): number {
  return Date.parse(`${text.replace(' ', 'T')}Z`);
}

/** Exact: 600 is "10 minutes", 5400 "1 hour 30 minutes", and a day "24 hours". */
export function showDuration(seconds: number): string {
  const parts: string[] = [];
  let rest = seconds;
  for (const [unit, size] of seconds < 2 * 86_400 ? UNITS.slice(1) : UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(counted(count, unit));
    rest -= count * size;
  }
  return parts.join(' ') || '0 seconds';
}

export function showAge(milliseconds: number): string {
  return milliseconds < 2_000 ? 'just now' : `${showRoughly(milliseconds)} ago`;
}

export function showSize(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3).toLocaleString('en')} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
