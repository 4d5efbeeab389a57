import type { Connections } from './connections.ts';
import { LOCK_MS } from './servers.ts';
import { boundStatements, type Query, type QueryFor } from './transactions.ts';

/** Acts inside one transaction. A failed act is rolled back on its own, as it would be outside; the others stay. */
export function inTransaction(query: Query, queryFor: QueryFor, lockMs = LOCK_MS): Connections {
  const undoable = async <T>(act: () => Promise<T>): Promise<T> => {
    await query('savepoint act');
    try {
      const result = await act();
      await query('release savepoint act');
      return result;
    } catch (error) {
      // A lost connection has rolled back everything.
      await query('rollback to savepoint act').catch(() => {});
      throw error;
    }
  };
  return {
    read: ({ text }, values) => query(text, values),
    write: ({ text }, values) => undoable(() => query(text, values)),
    writeInTurn: ({ text }, values) => undoable(() => query(text, [...values, String(lockMs)])),
    writeWithOthers: ({ alone }, act) =>
      undoable(() => query(alone.text, [`[${JSON.stringify(act)}]`, String(lockMs)])),
    transaction: (work, statementMs) =>
      undoable(async () => {
        if (statementMs === undefined) return work(query);
        await query(boundStatements(statementMs));
        return work(queryFor(statementMs));
      }),
  };
}
