import { access, constants, statfs } from 'node:fs/promises';

/** An in-memory file system with that much room, if there is one: test data need not survive, and disks are slow. */
export async function roomInMemory(gigabytes: number): Promise<string | undefined> {
  const folder = '/dev/shm';
  try {
    const { bavail, bsize } = await statfs(folder);
    await access(folder, constants.W_OK | constants.X_OK);
    // Its size may exceed the memory that is available.
    return Math.min(bavail * bsize, process.availableMemory()) > gigabytes * 2 ** 30 ? folder : undefined;
  } catch {
    return undefined;
  }
}
