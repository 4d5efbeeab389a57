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
