import type { OutputOf } from '@innkeeper/client/manage';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

const REVISIONS = '/manage/v1/applications/{clientId}/revisions';
const PAGE = 30;

export type Revision = OutputOf<typeof REVISIONS, 'get'>['items'][number];

export const revisionsKey = (clientId: string) => ['application', clientId, 'revisions'] as const;

/** Newest first. */
export function revisionsQuery(clientId: string) {
  return infiniteQueryOptions({
    queryKey: [...revisionsKey(clientId), 'list'],
    queryFn: async ({ pageParam, signal }) =>
      (await api.get(REVISIONS, { path: { clientId }, query: { offset: pageParam, limit: PAGE }, signal })).data,
    initialPageParam: 0,
    getNextPageParam: ({ offset, items, total }) =>
      offset + items.length < total && items.length > 0 ? offset + items.length : undefined,
  });
}

export function revisionQuery(clientId: string, revision: number) {
  return queryOptions({
    queryKey: [...revisionsKey(clientId), 'one', revision],
    queryFn: async ({ signal }) =>
      (await api.get(`${REVISIONS}/{revision}`, { path: { clientId, revision }, signal })).data,
    // A published revision never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export function comparisonQuery(clientId: string, from: number, to: number) {
  return queryOptions({
    queryKey: [...revisionsKey(clientId), 'compare', from, to],
    queryFn: async ({ signal }) =>
      (await api.get(`${REVISIONS}/compare`, { path: { clientId }, query: { from, to }, signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
