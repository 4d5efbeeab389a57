import type { TransferStore } from '../port.ts';
import type { Connections } from './connections.ts';

/** Statistics are refreshed after this many imported users, then after eight times as many. */
const FIRST = 10_000;
const AGAIN = 8;
/** An import that pauses for this long has ended. */
const NEW_IMPORT_MS = 60_000;
const ANALYZE_MS = 60_000;

/**
 * Autovacuum notices a grown table only after a minute or so. Until then the planner assumes that it is nearly empty,
 * and sorts all users of an application for every page.
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
        // If this fails, reads are slower for a while; the import itself succeeded.
        await connections
          .transaction((query) => query('analyze users, profiles, selections', []), ANALYZE_MS)
          .catch(() => {});
      }
      return result;
    },
  };
}
