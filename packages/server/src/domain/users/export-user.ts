import type {
  HistoryPlace,
  SelectionEvent,
  SelectionOrigin,
  SelectionRecord,
  Storage,
  StoredEvent,
} from '../../storage/port.ts';

type Walked = { storage: Pick<Storage, 'selections'> };

/** Everything that was ever saved for a user, page by page as it is taken: it can be more than fits into memory. */
export async function* walkHistory({ storage }: Walked, userId: string): AsyncGenerator<SelectionEvent> {
  for (let after: HistoryPlace | null = null; ; ) {
    const page: (SelectionEvent & HistoryPlace)[] = await storage.selections.walkHistory(userId, after);
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last;
  }
}

/** The same of what holds for the user now. */
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

/** The events about the user that are still kept, newest first. */
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
