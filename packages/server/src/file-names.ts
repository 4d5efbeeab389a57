import { closeSync, fsyncSync, lstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';
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

/** Makes a rename durable: file names are on disk only once their folder is flushed. */
export function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
