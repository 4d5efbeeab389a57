import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const server = dirname(dirname(fileURLToPath(import.meta.url)));

/** What to run: the built service, or the sources if they are newer because somebody is working on them. */
export function entry() {
  const builtAt = timeOf(join(server, 'dist/made-of.txt'));
  const src = join(server, 'src');
  const isStale = builtAt === undefined || filesIn(src).some((path) => (timeOf(path) ?? 0) > builtAt);
  return isStale ? '../src/main.ts' : '../dist/main.js';
}

/**
 * When it was last changed; undefined if it does not exist or this user may not see it.
 * @param {string} path
 */
function timeOf(path) {
  try {
    return statSync(path).mtimeMs;
  } catch {
    return undefined;
  }
}

/** @param {string} folder */
function filesIn(folder) {
  try {
    return readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  } catch {
    return []; // only the built service is here
  }
}
