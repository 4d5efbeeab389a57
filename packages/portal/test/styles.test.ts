import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildPortal } from '../build.js';

const ASSETS = join(import.meta.dirname, '../dist/assets');

test('every component of Mantine in the scripts has its styles', async () => {
  await buildPortal();
  const files = await readdir(ASSETS);
  const classes = async (ending: string) => {
    const texts = files.filter((file) => file.endsWith(ending)).map((file) => readFile(join(ASSETS, file), 'utf8'));
    return classesIn((await Promise.all(texts)).join());
  };
  const all = classesIn(await readFile(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), 'utf8'));
  const used = [...(await classes('.js'))].filter((name) => all.has(name));
  const styled = await classes('.css');
  expect(used.length).toBeGreaterThan(100);
  // Add the component's file to src/mantine.css.
  expect(used.filter((name) => !styled.has(name))).toEqual([]);
});

/** The class names of Mantine's components. */
function classesIn(text: string): Set<string> {
  return new Set(text.match(/\bm_[0-9a-f]{6,8}\b/g));
}
