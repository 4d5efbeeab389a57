/** By bytes, like PostgreSQL's collation "C" and its uuid type. */
export function byBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** The first `limit` items of several sorted pages. */
export function mergePages<T>(pages: readonly (readonly T[])[], limit: number, order: (a: T, b: T) => number): T[] {
  return pages.flat().sort(order).slice(0, limit);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
