import type { SelectionRecord } from '../../storage/port.ts';
import type { Scalar } from '../catalog/catalog.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';
import { parseValue } from '../catalog/stored-value.ts';
import type { Service } from '../service.ts';
import { defaultedKeys } from './effective.ts';

export type DescribedOption = {
  placed: PlacedKey;
  value: Scalar | Scalar[];
  /** undefined: the default applies, because the user never chose. */
  record: SelectionRecord | undefined;
};

/** A user's effective options: what they chose, and the defaults otherwise, in catalog order. */
export async function describeOptions(
  service: Pick<Service, 'storage'>,
  catalog: CompiledCatalog,
  userId: string,
): Promise<DescribedOption[]> {
  const saved = await service.storage.selections.list(userId);
  const options: DescribedOption[] = saved.flatMap((record) => {
    const placed = catalog.keyByNo.get(record.keyNo);
    return placed ? [{ placed, record, value: parseValue(record.value) }] : [];
  });
  for (const placed of defaultedKeys(catalog, saved)) {
    options.push({ placed, record: undefined, value: placed.key.defaultValue as Scalar | Scalar[] });
  }
  const order = new Map(catalog.keys.map(({ key }, index) => [key.keyNo, index]));
  const place = ({ placed: { key } }: DescribedOption) => order.get(key.keyNo) ?? order.size + key.keyNo;
  return options.sort((a, b) => place(a) - place(b));
}
