import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { buildWhenChanged } from '../../scripts/build-when-changed.js';

const PORTAL = import.meta.dirname;
const ROOT = join(PORTAL, '../..');
/** In bytes. Compressing smaller files better saves little. */
const LARGE = 1_000;

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
      join(PORTAL, 'build.js'),
    ],
    async build(outDir) {
      // Even when tests call it: people get the production build.
      process.env.NODE_ENV = 'production';
      const { build } = await import('vite');
      await build({ root: PORTAL, logLevel: 'warn', build: { outDir, emptyOutDir: true } });
      await compressLarge(join(outDir, 'assets'));
    },
  });
}

/**
 * With brotli's highest level, which takes seconds: the service itself compresses on the first request, and faster.
 * @param {string} folder
 */
async function compressLarge(folder) {
  const names = await readdir(folder);
  await Promise.all(
    names.map(async (name) => {
      const body = await readFile(join(folder, name));
      if (body.length >= LARGE) await writeFile(join(folder, `${name}.br`), await promisify(brotliCompress)(body));
    }),
  );
}
