// Builds a folder of files from others, unless it is there already and no input has changed.

import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** In the built folder: a fingerprint of its inputs. Its modification time is when that was last checked. */
const STAMP = 'made-of.txt';

/**
 * Returns the outcome; 'no-tools' if the packages for building are not installed, and the existing files stay.
 * @param {{ dist: string, madeOf: string[], build: (folder: string) => Promise<void> }} what
 */
export async function buildWhenChanged({ dist, madeOf, build }) {
  const asOf = new Date();
  const wanted = await fingerprint(dirname(dist), madeOf);
  const stamp = join(dist, STAMP);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) {
    // Another user may have installed it: then the sources are checked again the next time.
    await utimes(stamp, asOf, asOf).catch(() => {});
    return 'current';
  }
  // Built next to it and then moved into place, so that a partial build is never served.
  const made = await mkdtemp(`${dist}-`);
  try {
    await build(made);
    await writeFile(join(made, STAMP), wanted);
    await utimes(join(made, STAMP), asOf, asOf);
    await letAllRead(made);
    await rm(dist, { recursive: true, force: true });
    await rename(made, dist).catch((error) => {
      // Another process was faster.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } catch (error) {
    if (error.code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find package /.test(error.message)) return 'no-tools';
    throw error;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return 'built';
}

/**
 * The installing user may not be the serving one; a temporary folder is readable only by its creator, and so may new
 * files be.
 * @param {string} folder
 */
async function letAllRead(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  await chmod(folder, 0o755);
}

/**
 * @param {string} from
 * @param {string[]} madeOf
 */
async function fingerprint(from, madeOf) {
  const hash = createHash('sha256');
  for (const path of (await Promise.all(madeOf.map(filesIn))).flat().sort()) {
    hash
      .update(`${relative(from, path)}\0`)
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
