import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The file that a path means, there or not yet: who puts a new one in its place leaves the links to it as they are. */
export function behindLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const isNotThere = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isNotThere || !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
    return behindLinks(resolve(realpathSync(dirname(path)), readlinkSync(path)));
  }
}
