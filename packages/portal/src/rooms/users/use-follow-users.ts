import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { api } from '../../api/client.ts';
import type { Filters } from './filters.ts';
import { countUsersQuery, MAX_COUNTED } from './queries.ts';

const EVERY_MS = 5_000;

/** Reloads the list when others create, change or delete users; with conditions, also when users choose. */
export function useFollowUsers(clientId: string, filters: Filters): void {
  const client = useQueryClient();
  const hasConditions = filters.where !== undefined;
  const { data: newest } = useQuery({
    queryKey: ['application', clientId, 'newest-event', hasConditions],
    queryFn: async ({ signal }) => {
      const input = { path: { clientId }, query: { limit: 50 }, signal };
      const { items } = (await api.get('/manage/v1/applications/{clientId}/events', input)).data;
      // If there are too many other events, they may hide one of these.
      const found = items.find(({ type }) => hasConditions || type.startsWith('user.')) ?? items.at(-1);
      return found?.id ?? '';
    },
    // A search among millions takes seconds.
    enabled: filters.search === undefined,
    refetchInterval: EVERY_MS,
  });
  const seen = useRef(newest);
  useEffect(() => {
    if (seen.current !== undefined && newest !== undefined && seen.current !== newest) {
      void client.invalidateQueries({ queryKey: ['application', clientId, 'users', 'search'] });
      const total = client.getQueryData(countUsersQuery(clientId, filters).queryKey) ?? 0;
      if (total <= MAX_COUNTED)
        void client.invalidateQueries({ queryKey: ['application', clientId, 'users', 'count'] });
    }
    seen.current = newest;
  }, [newest, client, clientId, filters]);
}
