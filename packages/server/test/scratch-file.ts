import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { inject } from 'vitest';

/** The path of a file that does not exist yet, in a folder that is deleted after the run. */
export const scratchFile = (ending: string): string =>
  join(inject('scratchFolder'), `${randomBytes(8).toString('hex')}.${ending}`);
