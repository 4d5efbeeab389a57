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

export const applicationsQuery = queryOptions({
  queryKey: ['applications'],
  queryFn: async ({ signal }) => (await api.get('/manage/v1/applications', { query: { limit: 200 }, signal })).data,
});

/** Everything about an application is under ['application', clientId]: one call invalidates it all. */
export function applicationQuery(clientId: string) {
  return queryOptions({
    queryKey: ['application', clientId],
    queryFn: async ({ signal }) =>
      (await api.get('/manage/v1/applications/{clientId}', { path: { clientId }, signal })).data,
  });
}
