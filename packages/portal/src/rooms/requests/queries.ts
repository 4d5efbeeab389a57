import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import type { RequestSearch } from './search.ts';

export function requestsQuery(clientId: string, { request: _, ...filter }: RequestSearch, isLive: boolean) {
  return infiniteQueryOptions({
    queryKey: ['application', clientId, 'requests', filter],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filter, limit: 50, ...(pageParam !== null && { after: pageParam }) };
      return (await api.get('/manage/v1/applications/{clientId}/requests', { path: { clientId }, query, signal })).data;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? 3000 : false,
  });
}

export function requestQuery(clientId: string, requestUid: string) {
  return queryOptions({
    queryKey: ['application', clientId, 'requests', 'one', requestUid],
    queryFn: async ({ signal }) =>
      (
        await api.get('/manage/v1/applications/{clientId}/requests/{requestUid}', {
          path: { clientId, requestUid },
          signal,
        })
      ).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
