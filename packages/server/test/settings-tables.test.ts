import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fillSettingsTables, OPERATIONS_DOC } from '../scripts/write-settings-tables.ts';

test('docs/operations.md lists the settings as the code has them: run "npm run docs" where this fails', () => {
  const doc = readFileSync(OPERATIONS_DOC, 'utf8');
  expect(doc).toBe(fillSettingsTables(doc));
});
