// Not from node:fs/promises, which takes 1 ms to load.
import { promises, readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { getAsset, getAssetKeys, getRawAsset, isSea } from 'node:sea';

/** A single-file executable has no package.json next to it. */
const manifest = isSea() ? process.execPath : (findPackageJSON(import.meta.url) as string);

/** The root of this package, both in the sources and in the built package. */
export const PACKAGE_ROOT = dirname(manifest);

const text = isSea() ? getAsset('package.json', 'utf8') : readFileSync(manifest, 'utf8');
export const { version } = JSON.parse(text) as { version: string };

/** Files for browsers that ship with the service. */
type ShippedFolder = 'portal' | 'guide' | 'explorer';

/** They are assets in the executable, in files/ in the npm package, and in their build folders in a clone. */
const isExecutable = isSea();

/** Paths inside the folder, with slashes; undefined if it was not built. */
export async function listShipped(folder: ShippedFolder): Promise<string[] | undefined> {
  if (isExecutable) {
    const start = `${folder}/`;
    return getAssetKeys().flatMap((key) => (key.startsWith(start) ? key.slice(start.length) : []));
  }
  for (const place of placesOf(folder)) {
    const names = await promises.readdir(place, { recursive: true }).catch(undefinedIfMissing);
    if (names) return names.map((name) => name.replaceAll('\\', '/'));
  }
  return undefined;
}

export async function readShipped(folder: ShippedFolder, path: string): Promise<Buffer> {
  if (isExecutable) return Buffer.from(getRawAsset(`${folder}/${path}`));
  for (const place of placesOf(folder)) {
    const content = await promises.readFile(join(place, path)).catch(undefinedIfMissing);
    if (content) return content;
  }
  throw new Error(`${folder}/${path} is not part of this installation`);
}

function placesOf(folder: ShippedFolder): string[] {
  return [join(PACKAGE_ROOT, 'files', folder), ...inClone(folder)];
}

function inClone(folder: ShippedFolder): string[] {
  if (folder !== 'explorer') {
    const found = packageFolder(`@innkeeper/${folder}`);
    return found === undefined ? [] : [join(found, 'dist')];
  }
  return [join(PACKAGE_ROOT, 'src/http/docs/page'), ...[packageFolder('swagger-ui-dist') ?? []].flat()];
}

function packageFolder(name: string): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return undefined; // the npm package of the service has no dependencies
  }
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
