import { closeSync, fsyncSync, openSync } from 'node:fs';

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
