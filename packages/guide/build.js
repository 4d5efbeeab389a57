import { globSync } from 'node:fs';
import { join } from 'node:path';
import { buildWhenChanged } from '../../scripts/build-when-changed.js';

const GUIDE = import.meta.dirname;
const ROOT = join(GUIDE, '../..');

/** Builds the site's pages into dist/. */
export function buildGuide() {
  return buildWhenChanged({
    dist: join(GUIDE, 'dist'),
    madeOf: [
      join(ROOT, 'package-lock.json'),
      join(ROOT, 'docs'),
      join(ROOT, 'CHANGELOG.md'),
      join(ROOT, 'CONTRIBUTING.md'),
      ...globSync(join(ROOT, 'packages/*/README.md')),
      join(GUIDE, 'src'),
      join(GUIDE, 'assets'),
    ],
    async build(folder) {
      const { writeSite } = await import('./src/write-site.ts');
      await writeSite(folder);
    },
  });
}
