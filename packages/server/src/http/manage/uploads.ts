import type { Application } from '../../domain/applications/application.ts';
import { type Catalog, toItems } from '../../domain/catalog/catalog.ts';
import { type CatalogDefinition, unpackDefinition } from '../../domain/catalog/definition.ts';
import { knownOf } from '../../domain/catalog/read-definition.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import type { StoredCatalog } from '../../storage/port.ts';

/** For a whole catalog or file of texts, which worker threads read: five thousand keys in twenty languages. */
export const UPLOAD_LIMIT = 32 * 1024 ** 2;
/** For one edit, which is parsed on the HTTP thread: about 30 ms. */
export const EDIT_LIMIT = 2 * 1024 ** 2;

/** The catalog definition in the body, read with the existing catalog in view. */
export async function readCatalogBody(
  { work, openCatalogs }: Service,
  { appId }: Application,
  body: Buffer,
): Promise<CatalogDefinition> {
  const known = knownOf(await openCatalogs.published(appId));
  return inSlices(unpackDefinition(await work.run('readCatalogBody', { body, known }, { appId })));
}

/** In stored form, for a worker thread: strings are cheap to copy, objects are not. */
export async function toStored(catalog: Catalog): Promise<StoredCatalog> {
  const { revision, languages } = catalog;
  return { revision, languages: JSON.stringify(languages), items: await inSlices(toItems(catalog)) };
}
