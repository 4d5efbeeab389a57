// npm run pack [FOLDER]
//
// Builds the client and the React form as they would be published, and packs them into a folder (dist-packages/):
// tarballs that any project can install.

import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildPackage } from './build-package.js';

const ROOT = join(import.meta.dirname, '..');

/** Folders in packages/, in the order of their dependencies. */
export const PUBLISHED = /** @type {const} */ (['client', 'react']);

/**
 * @param {string} folder
 * @param {string[]} [others] folders of packages to pack beside them
 * @returns {Promise<{ filename: string, files: { path: string }[] }[]>} what was packed, in that order
 */
export async function packPackages(folder, others = []) {
  for (const name of PUBLISHED) await buildPackage(name);
  await mkdir(folder, { recursive: true });
  const folders = [...PUBLISHED.map((name) => join(ROOT, 'packages', name, 'dist')), ...others];
  const flags = ['--pack-destination', folder, '--ignore-scripts', '--json'];
  const { stdout } = await promisify(execFile)('npm', ['pack', ...flags, ...folders], { cwd: folder });
  return JSON.parse(stdout);
}

if (import.meta.main) {
  const folder = resolve(process.env.INIT_CWD ?? '.', process.argv[2] ?? join(ROOT, 'dist-packages'));
  const packed = await packPackages(folder);
  const paths = packed.map(({ filename }) => join(folder, filename));
  console.log(`In your project: npm install ${paths.join(' ')} react react-dom`);
}
