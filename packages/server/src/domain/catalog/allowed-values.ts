import type { AllowedValue, Scalar } from './catalog.ts';

/** Fewer values are found faster one by one. */
const MANY = 16;
const byValue = new WeakMap<readonly AllowedValue[], ReadonlyMap<Scalar, AllowedValue>>();

/** As fast for a key with thousands of values as for one with few: a user may have chosen thousands. */
export function findAllowed(values: readonly AllowedValue[] | null, value: unknown): AllowedValue | undefined {
  if (values === null) return undefined;
  if (values.length <= MANY) return values.find((each) => each.value === value);
  let known = byValue.get(values);
  if (!known) {
    known = new Map(values.map((each) => [each.value, each]));
    byValue.set(values, known);
  }
  return known.get(value as Scalar);
}
