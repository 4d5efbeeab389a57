import { NEWEST_RECORD } from '../newest-record.ts';
import type { ClockStore } from '../port.ts';
import type { Connection } from './connection.ts';

export function clockReads(connection: Connection): ClockStore {
  return {
    async read() {
      return undefined;
    },
    async newestRecord() {
      return connection.value<number | null>(NEWEST_RECORD) ?? undefined;
    },
  };
}
