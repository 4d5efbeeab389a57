/** The median of several figures, with the lowest and the highest. */
export type Spread = { median: number; least: number; most: number };

export function spreadOf(values: number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return { median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, least: at(0), most: at(sorted.length - 1) };
}

export function showSpread({ median, least, most }: Spread, digits = 2): string {
  const show = (value: number): string =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${show(median)} (${show(least)} to ${show(most)})`;
}
