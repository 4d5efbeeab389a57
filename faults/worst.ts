/** The median, with the worst next to it. */
export function worst(values: number[], digits = 0): string {
  const sorted = values.toSorted((a, b) => a - b);
  const show = (value: number | undefined): string => (value ?? Number.NaN).toFixed(digits);
  return `${show(sorted[Math.floor(sorted.length / 2)])} (worst ${show(sorted.at(-1))})`;
}
