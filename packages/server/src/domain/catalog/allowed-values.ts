import type { AllowedValue, Scalar } from './catalog.ts';

/** Fewer are found sooner one by one. */
const MANY = 16;
const byValue = new WeakMap<readonly AllowedValue[], ReadonlyMap<Scalar, AllowedValue>>();

/** Of a key with thousands of values as quickly as of one with few: a user may have chosen thousands. */
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
