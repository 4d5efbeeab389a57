/** 0.99 of them are at most this. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const p99 = (values: number[]): number => percentile(values, 0.99);

/**
 * How far two halves of one quiet time are apart in their p99, so many times: on a busy machine that alone can be much, and a bar for a
 * ratio of two such figures says nothing below it.
 */
export function noiseOf(quiet: number[]): number {
  const halves = [0, 1].map((half) => p99(quiet.filter((_, index) => Math.floor(index / 50) % 2 === half)));
  return Math.max(...halves) / Math.min(...halves);
}
