import { api } from '../../api/client.ts';
import { type Filters, filterQuery } from './filters.ts';

export type Chosen = { userUid: string; status: 'active' | 'suspended' };

/** More is a case for the command line. */
export const MAX_COLLECTED = 100_000;

type Options = { signal: AbortSignal; onProgress(count: number): void };

/** All users who currently match the filters: actions apply to these, not to users who match later. */
export async function collectUsers(clientId: string, filters: Filters, { signal, onProgress }: Options) {
  const users: Chosen[] = [];
  for (let after: string | null = ''; after !== null && users.length < MAX_COLLECTED; ) {
    const place: { after?: string } = after === '' ? {} : { after };
    const input = {
      path: { clientId },
      query: { limit: 200, partial: true, ...filterQuery(filters), ...place },
      signal,
    };
    const { data } = await api.get('/manage/v1/applications/{clientId}/users', input);
    users.push(...data.items.map(({ userUid, status }) => ({ userUid, status })));
    onProgress(users.length);
    after = data.next;
  }
  return users.slice(0, MAX_COLLECTED);
}
