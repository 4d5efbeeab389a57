import type { Storage } from '../../storage/port.ts';
import type { AllowedValue, Key, Scalar } from '../catalog/catalog.ts';

/** Of an open key, which may hold as many values as users. */
const TOLD = 200;

type ValueCount = {
  value: Scalar;
  count: number;
  /** What the catalog says of it; undefined for a value of an open key, or one that was removed. */
  allowed: AllowedValue | undefined;
};

export type ValueCounts = {
  /** Users who chose. With a key that takes several values, the counts add up to more. */
  total: number;
  values: ValueCount[];
  /** Values of an open key that are not among those told. */
  otherValues: number;
};

/** How users chose. Of a key that takes several values, each value is counted for itself. */
export async function countValues(storage: Storage, appId: number, key: Key): Promise<ValueCounts> {
  const rows = await storage.selections.countByValue(appId, key.keyNo);
  const counts = new Map<Scalar, number>((key.values ?? []).map(({ value }) => [value, 0]));
  let total = 0;
  for (const { value, count } of rows) {
    total += count;
    for (const each of [JSON.parse(value) as Scalar | Scalar[]].flat())
      counts.set(each, (counts.get(each) ?? 0) + count);
  }
  const allowed = new Map(key.values?.map((value) => [value.value, value]));
  const values = [...counts].map(([value, count]) => ({ value, count, allowed: allowed.get(value) }));
  // What the catalog offers stands in its order; of an open key, what most chose comes first.
  const shown = key.values ? values : values.sort((a, b) => b.count - a.count).slice(0, TOLD);
  return { total, values: shown, otherValues: values.length - shown.length };
}
