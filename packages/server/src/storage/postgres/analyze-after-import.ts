import type { TransferStore } from '../port.ts';
import type { Connections } from './connections.ts';

/** The planner learns of imported users after so many, and again after eight times as many. */
const FIRST = 10_000;
const AGAIN = 8;
/** An import that pauses for so long has ended. */
const NEW_IMPORT_MS = 60_000;
const ANALYZE_MS = 60_000;

/**
 * PostgreSQL notices by itself that a table has grown, a minute or so later. Until then it takes the table for nearly
 * empty, and sorts all users of an application for each page of them.
 */
export function analyzeAfterImport(store: TransferStore, connections: Connections): TransferStore {
  let imported = 0;
  let next = FIRST;
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    ...store,
    async importUsers(appId, entries, change) {
      const result = await store.importUsers(appId, entries, change);
      if (performance.now() - lastAt > NEW_IMPORT_MS) [imported, next] = [0, FIRST];
      lastAt = performance.now();
      imported += entries.length;
      if (imported >= next) {
        next *= AGAIN;
        // Without it, reads are slower for a while; the users are in.
        await connections
          .transaction((query) => query('analyze users, profiles, selections', []), ANALYZE_MS)
          .catch(() => {});
      }
      return result;
    },
  };
}
