import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseRoom } from '../port.ts';

export function diskRoom(path: string): DatabaseRoom {
  const { bavail, bsize } = statfsSync(dirname(path));
  return { kind: 'disk', free: bavail * bsize, size: statSync(path).size };
}
