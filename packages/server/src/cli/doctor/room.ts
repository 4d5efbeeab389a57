import type { Config } from '../../config.ts';
import type { DatabaseRoom } from '../../storage/port.ts';
import { showSize } from '../time.ts';
import { type Check, passed, warned } from './check.ts';

/** Less free space than this is used up by logs and updates alone. */
const LEAST_BYTES = 512 * 2 ** 20;
const NEARLY_ALL = 0.8;

/** Warns before the disk is full. */
export async function checkRoom({ databaseUrl }: Config): Promise<Check> {
  const { roomOf } = await import('../../storage/open.ts');
  return judgeRoom(await roomOf(databaseUrl));
}

export function judgeRoom(room: DatabaseRoom): Check {
  if (room.kind === 'connections') {
    const { used, most } = room;
    const detail = `${used} of ${most} of PostgreSQL are in use`;
    if (used < most * NEARLY_ALL) return passed('connections', detail);
    return warned(
      'connections',
      detail,
      'Raise max_connections, put pgbouncer in between, or lower INNKEEPER_WORKERS or the number of replicas.',
    );
  }
  const { free, size } = room;
  const detail = `${showSize(free)} free beside a database of ${showSize(size)}`;
  if (free >= Math.max(size, LEAST_BYTES)) return passed('disk', detail);
  return warned(
    'disk',
    detail,
    'Free some space, or move the database to a larger disk: scrub and backup need its size once more.',
  );
}
