import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { buildPortal } from '../build.js';

const SOURCE = join(import.meta.dirname, '../src');
const ASSETS = join(import.meta.dirname, '../dist/assets');
const MANTINE = dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css'));

test('every component of Mantine in the scripts has its styles', async () => {
  await buildPortal();
  const files = await readdir(ASSETS);
  const classes = async (ending: string) => {
    const texts = files.filter((file) => file.endsWith(ending)).map((file) => readFile(join(ASSETS, file), 'utf8'));
    return classesIn((await Promise.all(texts)).join());
  };
  const all = classesIn(await readFile(join(MANTINE, 'styles.css'), 'utf8'));
  const used = [...(await classes('.js'))].filter((name) => all.has(name));
  const styled = await classes('.css');
  expect(used.length).toBeGreaterThan(100);
  // Add the component's file to src/mantine.css, or import it where the component is used.
  expect(used.filter((name) => !styled.has(name))).toEqual([]);
});

test('a file that uses a component of Mantine whose styles are not in mantine.css imports them', async () => {
  const styles = await readdir(join(MANTINE, 'styles'));
  const everywhere = await readFile(join(SOURCE, 'mantine.css'), 'utf8');
  const sources = (await readdir(SOURCE, { recursive: true })).filter((file) => file.endsWith('.tsx'));
  const missing = await Promise.all(
    sources.map(async (file) => {
      const text = await readFile(join(SOURCE, file), 'utf8');
      const [, names = ''] = /import \{([^}]*)\} from '@mantine\/core'/.exec(text) ?? [];
      return names
        .split(',')
        .map((name) => `${name.trim()}.css`)
        .filter((css) => styles.includes(css) && !everywhere.includes(`/${css}"`) && !text.includes(`/${css}'`))
        .map((css) => `${file}: ${css}`);
    }),
  );
  expect(missing.flat()).toEqual([]);
});

/** The class names of Mantine's components. */
function classesIn(text: string): Set<string> {
  return new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g));
}
