import { access, constants, statfs } from 'node:fs/promises';

/** A file system in memory with so much room, where there is one: what tests write to a disk they mostly wait for, and need not keep. */
export async function roomInMemory(gigabytes: number): Promise<string | undefined> {
  const folder = '/dev/shm';
  try {
    const { bavail, bsize } = await statfs(folder);
    await access(folder, constants.W_OK | constants.X_OK);
    // It may be given as larger than the memory is.
    return Math.min(bavail * bsize, process.availableMemory()) > gigabytes * 2 ** 30 ? folder : undefined;
  } catch {
    return undefined;
  }
}
