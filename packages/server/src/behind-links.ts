import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from './caught.ts';

/** The path a file really has, with symbolic links resolved in every part of it. The file need not exist. */
export function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    const folder = behindLinks(dirname(path));
    if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return join(folder, basename(path));
    return behindLinks(resolve(folder, readlinkSync(path)));
  }
}
