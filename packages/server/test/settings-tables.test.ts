import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fillSettingsTables, OPERATIONS_DOC } from '../scripts/write-settings-tables.ts';

test('docs/operations.md lists the settings of the code: if not, run "npm run docs"', () => {
  const doc = readFileSync(OPERATIONS_DOC, 'utf8');
  expect(doc).toBe(fillSettingsTables(doc));
});
