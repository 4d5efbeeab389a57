/** By bytes, as PostgreSQL's collation "C" and its uuid have it. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The first so many of pages that are in order each. */
export function mergePages<T>(pages: readonly (readonly T[])[], limit: number, order: (a: T, b: T) => number): T[] {
  return pages.flat().sort(order).slice(0, limit);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
