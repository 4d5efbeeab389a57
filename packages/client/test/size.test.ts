import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundledSize } from './bundled-size.ts';

test('the bundle stays small, and README.md states its size', async () => {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  for (const [name, entry, most] of [
    ['@innkeeper/client', 'index.ts', 7500],
    ['@innkeeper/client/users', 'users.ts', 5200],
    ['@innkeeper/client/manage', 'manage.ts', 4000],
  ] as const) {
    const size = await bundledSize(join(import.meta.dirname, '../src', entry));
    expect(size).toBeLessThan(most);
    const documented = readme.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
    expect(documented).toMatch(new RegExp(` \\| ${(size / 1000).toFixed(1)} kB \\|$`));
  }
});
