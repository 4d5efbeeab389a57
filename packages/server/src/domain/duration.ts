const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Seconds from `600`, `"600"` or `"10m"`. */
export function parseDuration(value: unknown): number | undefined {
  const match = /^(\d{1,12})([smhd]?)$/.exec(String(value));
  return match ? Number(match[1]) * (UNITS[match[2] as string] ?? 1) : undefined;
}
