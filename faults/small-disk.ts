import { execFile } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CampaignContext, CannotRun } from './campaign.ts';

const run = promisify(execFile);
const MEBIBYTES = 64;

export type SmallDisk = {
  folder: string;
  /** Fills it to the last byte. If others free some space, it takes that as well. */
  fill(): void;
  clear(): void;
};

/** A separate file system in memory: when full, it fails like a disk, but flushes cost nothing. */
export async function smallDisk(context: CampaignContext): Promise<SmallDisk> {
  const folder = join(context.folder, 'disk');
  await mkdir(folder);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${MEBIBYTES}m,mode=700`, 'tmpfs', folder]);
  } catch {
    throw new CannotRun('needs Linux and the right to mount a file system: run it as root');
  }
  context.defer(() => run('umount', ['--lazy', folder]));
  const filler = join(folder, 'filler');
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a');
      try {
        for (const size of [2 ** 20, 2 ** 12]) while (hasTaken(file, Buffer.alloc(size))) {}
      } finally {
        closeSync(file);
      }
    },
    clear: () => rmSync(filler, { force: true }),
  };
}

function hasTaken(file: number, bytes: Buffer): boolean {
  try {
    return writeSync(file, bytes) === bytes.length;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
