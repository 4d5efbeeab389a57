import type { Storage } from '../../storage/port.ts';
import { inSlices } from '../slices.ts';
import { readCatalog } from './catalog.ts';
import { type CompiledCatalog, compileCatalog } from './compile.ts';

/** The application's current catalog, from the database. */
export async function loadCompiledCatalog(
  { catalogs }: Pick<Storage, 'catalogs'>,
  appId: number,
): Promise<CompiledCatalog> {
  return inSlices(compileCatalog(await inSlices(readCatalog(await catalogs.load(appId)))));
}
