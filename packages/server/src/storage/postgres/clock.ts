import { NEWEST_RECORD } from '../common/service-state.ts';
import type { ClockStore } from '../port.ts';
import { type Connections, statement } from './connections.ts';

/** The database's clock, in milliseconds. */
export const DATABASE_NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const READ = statement(`select ${DATABASE_NOW} as now`);
const NEWEST = statement(NEWEST_RECORD);

export function clockStore(connections: Connections): ClockStore {
  return {
    async read() {
      const [row] = await connections.read<{ now: number }>(READ);
      return row?.now;
    },
    async newestRecord() {
      const [row] = await connections.read<{ newest: number | null }>(NEWEST);
      return row?.newest ?? undefined;
    },
  };
}
