import type { Storage } from '../../storage/port.ts';
import type { AllowedValue, Key, Scalar } from '../catalog/catalog.ts';
import { parseValues } from '../catalog/stored-value.ts';

/** For an open key, which may have as many values as users. */
const MAX_SHOWN = 200;

type ValueCount = {
  value: Scalar;
  count: number;
  /** The catalog's entry; undefined for a value of an open key, or one that was removed. */
  allowed: AllowedValue | undefined;
};

export type ValueCounts = {
  /** Users who chose. If a key accepts several values, the counts add up to more. */
  total: number;
  values: ValueCount[];
  /** Number of values of an open key that are not listed. */
  otherValues: number;
};

/** Counts what users chose. If a key accepts several values, each is counted separately. */
export async function countValues(storage: Storage, appId: number, key: Key): Promise<ValueCounts> {
  const rows = await storage.selections.countByValue(appId, key.keyNo);
  const counts = new Map<Scalar, number>((key.values ?? []).map(({ value }) => [value, 0]));
  let total = 0;
  for (const { value, count } of rows) {
    total += count;
    for (const each of parseValues(value)) counts.set(each, (counts.get(each) ?? 0) + count);
  }
  const allowed = new Map(key.values?.map((value) => [value.value, value]));
  const values = [...counts].map(([value, count]) => ({ value, count, allowed: allowed.get(value) }));
  // Values of the catalog are in its order; those of an open key by frequency.
  const shown = key.values ? values : values.sort((a, b) => b.count - a.count).slice(0, MAX_SHOWN);
  return { total, values: shown, otherValues: values.length - shown.length };
}
