import type { SelectionRecord } from '../../storage/port.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';

/** The keys a user has not chosen for but that have a default: what holds for the user all the same. */
export function defaultedKeys(catalog: CompiledCatalog, saved: readonly SelectionRecord[]): PlacedKey[] {
  const chosen = new Set(saved.map(({ keyNo }) => keyNo));
  return catalog.keys.filter(({ key }) => key.defaultValue !== null && !chosen.has(key.keyNo));
}
