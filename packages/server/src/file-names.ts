import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs';
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

/**
 * Creates a folder for this user only, and those above it. Node's `recursive` never returns where the system does not
 * allow folders and says that they do not exist, for example below /proc.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it.
    if (codeOf(error) !== 'EEXIST' || !isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
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
