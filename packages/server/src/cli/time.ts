const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** CONTRACT.md section 3: times are UTC, `YYYY-MM-DD HH:MM:SS`. */
export function showTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

/** Exactly: 600 is "10 minutes", 5400 "1 hour 30 minutes", and a day "24 hours". */
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

/** Roughly, in the largest unit that there are two of: for how old something is, or how soon it ends. */
export function showRoughly(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [unit, size] = UNITS.find(([, size]) => seconds >= 2 * size) ?? UNITS[3];
  return counted(Math.floor(seconds / size), unit);
}

export function showAge(milliseconds: number): string {
  return milliseconds < 2_000 ? 'just now' : `${showRoughly(milliseconds)} ago`;
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

export function showSize(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3).toLocaleString('en')} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
