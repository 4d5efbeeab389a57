const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds from `600`, `"600"` or `"10m"`. */
export function parseDuration(value: unknown): number | undefined {
  const match = /^(\d{1,12})([smhd]?)$/.exec(String(value));
  return match ? Number(match[1]) * (SECONDS[match[2] as string] ?? 1) : undefined;
}

export const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Roughly, in the largest unit that there are two of: for how old something is, or how soon it ends. */
export function showRoughly(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [unit, size] = UNITS.find(([, size]) => seconds >= 2 * size) ?? UNITS[3];
  return counted(Math.floor(seconds / size), unit);
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
