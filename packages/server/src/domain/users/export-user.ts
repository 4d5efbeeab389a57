import type {
  HistoryPlace,
  SelectionEvent,
  SelectionOrigin,
  SelectionRecord,
  Storage,
  StoredEvent,
} from '../../storage/port.ts';

type Walked = { storage: Pick<Storage, 'selections'> };

/** Everything ever saved for a user, page by page: it may not fit into memory. */
export async function* walkHistory({ storage }: Walked, userId: string): AsyncGenerator<SelectionEvent> {
  for (let after: HistoryPlace | null = null; ; ) {
    const page: (SelectionEvent & HistoryPlace)[] = await storage.selections.walkHistory(userId, after);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last;
  }
}

/** The same for the user's current selections. */
export async function* walkSelections(
  { storage }: Walked,
  userId: string,
): AsyncGenerator<SelectionRecord & SelectionOrigin> {
  for (let after = 0; ; ) {
    const page = await storage.selections.walk(userId, after);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.keyNo;
  }
}

const EVENTS_PER_PAGE = 200;

/** The stored events about the user, newest first. */
export async function* walkEvents(
  { storage }: { storage: Pick<Storage, 'events'> },
  appId: number,
  userId: string,
): AsyncGenerator<StoredEvent> {
  for (let before: number | null = null; ; ) {
    const { items, next }: Awaited<ReturnType<Storage['events']['listBack']>> = await storage.events.listBack(
      appId,
      { userId },
      { before, limit: EVENTS_PER_PAGE },
    );
    yield* items;
    if (next === null) return;
    before = next;
  }
}
