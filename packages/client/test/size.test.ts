import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

async function bundled(entry: string): Promise<number> {
  const bundle = await rolldown({ input: join(import.meta.dirname, '../src', entry), platform: 'browser' });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  return gzipSync(output[0].code, { level: 9 }).length;
}

test('what a page loads stays under 4 kB compressed, and README.md says how much', async () => {
  const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
  for (const [name, entry] of [
    ['@innkeeper/client', 'index.ts'],
    ['@innkeeper/client/users', 'users.ts'],
    ['@innkeeper/client/manage', 'manage.ts'],
  ] as const) {
    const size = await bundled(entry);
    expect(size).toBeLessThan(4000);
    expect(readme).toMatch(new RegExp(`\\| \`${name}\` \\|.*\\| ${(size / 1000).toFixed(1)} kB \\|`));
  }
});
