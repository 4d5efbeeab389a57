import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundledSize } from './bundled-size.ts';

test('what a page loads stays under 4 kB compressed, and README.md says how much', async () => {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  for (const [name, entry] of [
    ['@innkeeper/client', 'index.ts'],
    ['@innkeeper/client/users', 'users.ts'],
    ['@innkeeper/client/manage', 'manage.ts'],
  ] as const) {
    const size = await bundledSize(join(import.meta.dirname, '../src', entry));
    expect(size).toBeLessThan(4000);
    const told = readme.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
    expect(told).toMatch(new RegExp(` \\| ${(size / 1000).toFixed(1)} kB \\|$`));
  }
});
