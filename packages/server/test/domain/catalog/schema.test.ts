import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATALOG_SCHEMA, renderCatalogSchema } from '../../../scripts/write-catalog-schema.ts';
import { readDoc } from '../../../scripts/write-errors-doc.ts';
import { catalogJsonSchema } from '../../../src/domain/catalog/file-schema.ts';
import { checkStructure } from '../../../src/domain/catalog/read-definition.ts';
import { catalogFile } from './generated.ts';

test('docs/catalog.schema.json is the schema that checks files: if not, run "npm run docs"', () => {
  expect(readDoc(CATALOG_SCHEMA)).toBe(renderCatalogSchema());
});

test('is JSON Schema 2020-12 by which another validator accepts good files and rejects bad ones', () => {
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

test('files are accepted and rejected like by another validator, for arbitrary content', () => {
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(catalogJsonSchema());
  const places = fc.array(fc.nat({ max: 9 }), { maxLength: 8 });
  const anything = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom(-1, 0, 1.5, 5_000, '', '\u{1F600}', '\u{1F600}'.repeat(300), 'x'.repeat(2_001), [], ['a', 1], {}),
    fc.record({ value: fc.jsonValue({ maxDepth: 1 }), retired: fc.boolean() }),
    fc.constant([...Array(2_001).keys()]),
  );
  const name = fc.constantFrom(
    undefined,
    'name',
    'type',
    'min',
    'default',
    'values',
    'constraint',
    'step',
    'constructor',
  );
  let refused = 0;
  fc.assert(
    fc.property(catalogFile, places, name, anything, (file, way, newName, value) => {
      const changed = structuredClone(file);
      put(changed, way, newName, value);
      const { problems } = checkStructure(changed);
      expect(problems.length === 0, JSON.stringify({ problems, changed })).toBe(validate(changed));
      if (problems.length > 0) refused++;
    }),
    { numRuns: 1_000 },
  );
  expect(refused).toBeGreaterThan(100);
});

/** Walks down the file, choosing members by number, and sets a member there, existing or new, to the value. */
function put(file: object, way: number[], newName: string | undefined, value: unknown): void {
  let place = file as Record<string, unknown>;
  for (const turn of way) {
    const inner = Object.values(place).filter((each) => typeof each === 'object' && each !== null);
    if (inner.length === 0) break;
    place = inner[turn % inner.length] as Record<string, unknown>;
  }
  const names = Object.keys(place);
  const name = Array.isArray(place) ? String(place.length) : (newName ?? names[(way[0] ?? 0) % names.length]);
  if (name !== undefined) place[name] = value;
}
