// Writes docs/catalog.schema.json from the schema that checks catalog files. `npm run docs` runs it;
// test/domain/catalog/schema.test.ts checks it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogJsonSchema } from '../src/domain/catalog/file-schema.ts';

export const CATALOG_SCHEMA = join(import.meta.dirname, '../../../docs/catalog.schema.json');

export function renderCatalogSchema(): string {
  return `${JSON.stringify(catalogJsonSchema(), null, 2)}\n`;
}

if (import.meta.main) writeFileSync(CATALOG_SCHEMA, renderCatalogSchema());
