import type { AccessTokenRecord, SelectionEvent, UserRecord } from '../../storage/port.ts';
import type { Service } from '../service.ts';

/** Events read at a time. */
const PAGE = 1_000;

export type UserTraces = { tokens: AccessTokenRecord[]; events: SelectionEvent[] };

/** What is kept of a user beside what they chose: everything that goes when they are erased. */
export async function collectTraces(
  { storage, now }: Pick<Service, 'storage' | 'now'>,
  { userId }: UserRecord,
): Promise<UserTraces> {
  const events: SelectionEvent[] = [];
  for (;;) {
    const { items } = await storage.selections.history(userId, { offset: events.length, limit: PAGE });
    events.push(...items);
    if (items.length < PAGE) break;
  }
  return { tokens: await storage.tokens.list(userId, now()), events };
}
