import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The file that a path leads to, whether it exists or not: symbolic links are followed, also those of its folders. */
export function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    const folder = behindLinks(dirname(path));
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return join(folder, basename(path));
    return behindLinks(resolve(folder, readlinkSync(path)));
  }
}
