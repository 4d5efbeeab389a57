import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { inject } from 'vitest';

/** Where there is no file yet, in a folder that is removed after the run. */
export const scratchFile = (ending: string): string =>
  join(inject('scratchFolder'), `${randomBytes(8).toString('hex')}.${ending}`);
