import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bundledSize } from '../../client/test/bundled-size.ts';

const REACT = ['react', 'react/jsx-runtime'];

test('README.md states the size of the bundle', async () => {
  const folder = join(import.meta.dirname, '..');
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  const entry = join(folder, 'src/index.ts');
  const styles = gzipSync(await readFile(join(folder, 'src/styles.css')), { level: 9 }).length;
  const own = await bundledSize(entry, [...REACT, '@innkeeper/client']);
  const client = await bundledSize(join(folder, '../client/src/index.ts'));
  const texts = await bundledSize(join(folder, 'src/texts.ts'));
  const rows = {
    'form and hooks': own,
    'of that, texts in six languages': texts,
    '@innkeeper/client': client,
    'styles.css': styles,
  };
  const documented = Object.keys(rows).map((name) => readme.split('\n').find((line) => line.startsWith(`| ${name} |`)));
  expect(documented).toEqual(
    Object.entries(rows).map(([name, size]) => `| ${name} | ${(size / 1000).toFixed(1)} kB |`),
  );
  expect(own).toBeLessThan(10_000);
});
