// The npm tarballs. The service's contains its bundle and depends only on a Node for its platform.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildPackage } from '../build-package.js';
import { packPackages } from '../pack.js';
import { published } from './published.js';
import { ROOT, SERVER, shippedFiles } from './sources.js';

/**
 * @param {string} folder for the tarballs
 * @param {string} work a folder for intermediate files
 * @returns {Promise<{ filename: string, files: { path: string }[] }[]>}
 */
export async function packAll(folder, work) {
  // It needs the service too.
  await buildPackage('testing');
  return packPackages(folder, [join(ROOT, 'packages/testing/dist'), assembleServer(join(work, 'server'))]);
}

/** The folder of the service's package, with everything that npm packs. */
export function assembleServer(dir) {
  mkdirSync(dir, { recursive: true });
  for (const name of ['bin', 'dist']) cpSync(join(SERVER, name), join(dir, name), { recursive: true });
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md'])
    cpSync(join(name === 'README.md' ? SERVER : ROOT, name), join(dir, name));
  for (const [name, path] of shippedFiles()) {
    mkdirSync(dirname(join(dir, 'files', name)), { recursive: true });
    cpSync(path, join(dir, 'files', name));
  }
  writeFileSync(join(dir, 'package.json'), serverManifest());
  return dir;
}

/** Its dependencies are in the bundle. */
export function serverManifest() {
  const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
  const { dependencies: _, ...manifest } = published(read(join(SERVER, 'package.json')));
  const { optionalDependencies } = read(join(ROOT, 'package.json'));
  const whole = { ...manifest, files: ['bin', 'dist', 'files', 'CHANGELOG.md'], optionalDependencies };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

// node scripts/release/npm.js FOLDER: only the service, as the Dockerfile installs it.
if (import.meta.main) assembleServer(process.argv[2]);
