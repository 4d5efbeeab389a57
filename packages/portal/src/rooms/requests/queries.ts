import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { rangeQuery } from '../../shell/range.ts';
import type { RequestSearch } from './search.ts';

/** The user that was typed, by UID or exact clientUserId; null: there is none. */
export function namedUserQuery(clientId: string, named: string) {
  return queryOptions({
    queryKey: ['application', clientId, 'requests', 'user', named],
    queryFn: async ({ signal }) => {
      // Ids with the prefix come first, so the search does not scan millions of users.
      const query = { search: named, limit: 1, partial: true };
      const { data } = await api.get('/manage/v1/applications/{clientId}/users', { path: { clientId }, query, signal });
      return (
        data.items.find(({ userUid, clientUserId }) => named === userUid || named === clientUserId)?.userUid ?? null
      );
    },
  });
}

/** `userUid`: of `user`, if one was typed. */
export function requestsQuery(clientId: string, search: RequestSearch, isLive: boolean) {
  const { request: _, user: _user, span, from, to, ...filter } = search;
  const range = { ...(span && { span }), ...(from && { from }), ...(to && { to }) };
  return infiniteQueryOptions({
    queryKey: ['application', clientId, 'requests', filter, range],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...filter, ...rangeQuery(range), limit: 50, ...(pageParam !== null && { after: pageParam }) };
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
