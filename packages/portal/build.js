// Builds the portal's files into dist/, unless they are there already and nothing they are made of has changed.
// Runs at install and before `npm start` and `npm test`, so that the portal is there the moment the service is.

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const PORTAL = dirname(fileURLToPath(import.meta.url));
const ROOT = join(PORTAL, '../..');
const DIST = join(PORTAL, 'dist');
const STAMP = 'made-of.txt';
const MADE_OF = [
  join(ROOT, 'package-lock.json'),
  join(ROOT, 'packages/client/src'),
  join(PORTAL, 'src'),
  join(PORTAL, 'public'),
  join(PORTAL, 'index.html'),
  join(PORTAL, 'vite.config.ts'),
];

/** Answers whether it had to be built. */
async function buildPortal() {
  const wanted = await fingerprint();
  if ((await readFile(join(DIST, STAMP), 'utf8').catch(() => '')) === wanted) return false;
  // Whoever calls, tests too: people are served what is made for them.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  // Beside it and then in its place: nobody is ever served half a portal.
  const made = await mkdtemp(join(PORTAL, 'dist-'));
  try {
    await build({ root: PORTAL, logLevel: 'warn', build: { outDir: made, emptyOutDir: true } });
    await writeFile(join(made, STAMP), wanted);
    await rm(DIST, { recursive: true, force: true });
    await rename(made, DIST).catch((error) => {
      // Another process was a moment quicker.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return true;
}

async function fingerprint() {
  const hash = createHash('sha256');
  for (const path of (await Promise.all(MADE_OF.map(filesIn))).flat().sort()) {
    hash
      .update(`${relative(ROOT, path)}\0`)
      .update(await readFile(path))
      .update('\0');
  }
  return hash.digest('hex');
}

/** @param {string} path */
async function filesIn(path) {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (!entries) return [path];
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const started = Date.now();
if (await buildPortal()) console.log(`The portal was built in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
