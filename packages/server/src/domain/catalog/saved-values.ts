import type { Storage, ValuePage, ValueRow } from '../../storage/port.ts';

/** What is saved for a key, in pages: it may be as many values as users. */
export async function* savedValues(storage: Storage, appId: number, keyNo: number): AsyncGenerator<ValueRow[]> {
  let after: string | null = null;
  do {
    const { rows, next }: ValuePage = await storage.selections.countByValue(appId, keyNo, after);
    yield rows;
    after = next;
  } while (after !== null);
}
