/** For 0.99: the value that 99 % of them do not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const p99 = (values: number[]): number => percentile(values, 0.99);

/**
 * The factor between the p99s of two halves of a quiet period. On a busy machine it can be large, and a limit below it
 * on the ratio of two such figures means nothing.
 */
export function noiseOf(quiet: number[]): number {
  const halves = [0, 1].map((half) => p99(quiet.filter((_, index) => Math.floor(index / 50) % 2 === half)));
  return Math.max(...halves) / Math.min(...halves);
}
