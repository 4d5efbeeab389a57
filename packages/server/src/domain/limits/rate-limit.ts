import { parseDuration } from '../../time.ts';

/** A burst of `quota` requests, refilled evenly over `seconds`. */
export type RateLimit = { quota: number; seconds: number };

export const RATE_LIMIT_FORM =
  'off, or a burst of requests and the period that refills it, for example 600/1m (1s to 1d)';

/** `600/1m`, `100/1s`, or `off`; undefined: none of these. */
export function readRateLimit(value: unknown): RateLimit | 'off' | undefined {
  if (value === 'off') return 'off';
  const match = typeof value === 'string' ? /^(\d{1,9})\/(\d{1,5}[smhd])$/.exec(value) : null;
  const quota = Number(match?.[1]);
  const seconds = parseDuration(match?.[2]) ?? 0;
  return quota >= 1 && seconds >= 1 && seconds <= 86_400 ? { quota, seconds } : undefined;
}
