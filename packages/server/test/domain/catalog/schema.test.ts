import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATALOG_SCHEMA, renderCatalogSchema } from '../../../scripts/write-catalog-schema.ts';
import { readDoc } from '../../../scripts/write-errors-doc.ts';
import { catalogJsonSchema } from '../../../src/domain/catalog/file-schema.ts';
import { catalogFile } from './generated.ts';

test('docs/catalog.schema.json is the schema that checks files: run "npm run docs" where this fails', () => {
  expect(readDoc(CATALOG_SCHEMA)).toBe(renderCatalogSchema());
});

test('is JSON Schema 2020-12 that another validator takes good files by, and refuses bad ones', () => {
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(catalogJsonSchema());
  fc.assert(
    fc.property(catalogFile, (file) => {
      expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
      expect(validate({ $schema: 'catalog.schema.json', ...file })).toBe(true);
      expect(validate({ ...file, colour: 'red' })).toBe(false);
    }),
  );
  expect(
    validate({ languages: [{ name: 'A', tag: 'en' }], groups: [{ name: 'g', keys: [{ name: 'k', type: 'x' }] }] }),
  ).toBe(false);
});
