import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

/** Queries used in more than one room. A room's own queries are next to it. */

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => (await api.get('/manage/v1/session', { signal })).data,
  staleTime: 60_000,
});

/** Settings of the service: they change only when it restarts. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: async ({ signal }) => (await api.get('/manage/v1/session/methods', { signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
});

const PAGE = 200;

/** All of them, over as many pages as needed: people search by a part of the name. */
export const allApplicationsQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: async ({ signal }) => {
    const read = async (offset: number) =>
      (await api.get('/manage/v1/applications', { query: { offset, limit: PAGE }, signal })).data;
    const { items, total } = await read(0);
    for (let offset = PAGE; offset < total; offset += PAGE) items.push(...(await read(offset)).items);
    return items;
  },
});

/** Everything about an application is under ['application', clientId]: one call invalidates it all. */
export function applicationQuery(clientId: string) {
  return queryOptions({
    queryKey: ['application', clientId],
    queryFn: async ({ signal }) =>
      (await api.get('/manage/v1/applications/{clientId}', { path: { clientId }, signal })).data,
    // Millions of users are still being counted.
    refetchInterval: ({ state }) => (state.data?.counts.moreUsers ? 5_000 : false),
  });
}
