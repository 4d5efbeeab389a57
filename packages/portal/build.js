import { join } from 'node:path';
import { buildWhenChanged } from '../../scripts/build-when-changed.js';

const PORTAL = import.meta.dirname;
const ROOT = join(PORTAL, '../..');

/** Builds the portal into dist/. */
export function buildPortal() {
  return buildWhenChanged({
    dist: join(PORTAL, 'dist'),
    madeOf: [
      join(ROOT, 'package-lock.json'),
      join(ROOT, 'packages/client/src'),
      join(PORTAL, 'src'),
      join(PORTAL, 'public'),
      join(PORTAL, 'index.html'),
      join(PORTAL, 'vite.config.ts'),
    ],
    async build(outDir) {
      // Even when tests call it: people get the production build.
      process.env.NODE_ENV = 'production';
      const { build } = await import('vite');
      await build({ root: PORTAL, logLevel: 'warn', build: { outDir, emptyOutDir: true } });
    },
  });
}
