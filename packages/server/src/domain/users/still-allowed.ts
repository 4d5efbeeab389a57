import type { SelectionRecord } from '../../storage/port.ts';
import type { Scalar } from '../catalog/catalog.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';
import { checkSelection } from '../selections/check-selection.ts';

/** Whether the key allows today what was saved. Who has a retired value keeps it. */
export function isAllowed(
  catalog: CompiledCatalog,
  { key }: PlacedKey,
  record: Pick<SelectionRecord, 'revision' | 'value'>,
): boolean {
  if (record.revision === catalog.revision) return true;
  const value = JSON.parse(record.value) as Scalar | Scalar[];
  if (Array.isArray(value) !== key.multiple) return false;
  const held = [value].flat();
  return 'value' in checkSelection(key, held, { languages: catalog.languages, language: undefined, held });
}
