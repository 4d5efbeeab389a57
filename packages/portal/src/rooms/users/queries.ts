import type { OutputOf } from '@innkeeper/client/manage';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { type Filters, filterQuery } from './filters.ts';

export const PAGE = 50;

/** Counting the matches of a search among more users, or repeating a count every few seconds, takes too long. */
export const MAX_COUNTED = 100_000;

export type ListedUser = OutputOf<'/manage/v1/applications/{clientId}/users', 'get'>['items'][number];

export function usersQuery(clientId: string, filters: Filters) {
  return infiniteQueryOptions({
    queryKey: ['application', clientId, 'users', 'search', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const query = {
        limit: PAGE,
        partial: true,
        ...filterQuery(filters),
        ...(pageParam !== undefined && { after: pageParam }),
      };
      return (await api.get('/manage/v1/applications/{clientId}/users', { path: { clientId }, query, signal })).data;
    },
    getNextPageParam: ({ next }) => next ?? undefined,
    // A search among millions takes seconds: do not repeat it on every focus.
    refetchOnWindowFocus: filters.search === undefined,
  });
}

/** Takes a while among millions, so it is separate from the list. */
export function countUsersQuery(clientId: string, { sort: _, ...filters }: Filters) {
  return queryOptions({
    queryKey: ['application', clientId, 'users', 'count', filters],
    queryFn: async ({ signal }) => {
      const query = { ...filterQuery(filters), count: true, limit: 1 };
      return (await api.get('/manage/v1/applications/{clientId}/users', { path: { clientId }, query, signal })).data
        .total;
    },
  });
}

const USER = '/manage/v1/applications/{clientId}/users/{userUid}';

export function userQuery(clientId: string, userUid: string) {
  return queryOptions({
    queryKey: ['application', clientId, 'users', userUid],
    queryFn: async ({ signal }) => (await api.get(USER, { path: { clientId, userUid }, signal })).data,
  });
}

export type UserOption = Awaited<ReturnType<typeof readOptions>>['items'][number];

async function readOptions(clientId: string, userUid: string, offset: number, signal: AbortSignal) {
  const input = { path: { clientId, userUid }, query: { offset, limit: 200 }, signal };
  return (await api.get(`${USER}/options`, input)).data;
}

export function userOptionsQuery(clientId: string, userUid: string) {
  return infiniteQueryOptions({
    queryKey: ['application', clientId, 'users', userUid, 'options'],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => readOptions(clientId, userUid, pageParam, signal),
    getNextPageParam: nextOffset,
  });
}

export function userHistoryQuery(clientId: string, userUid: string) {
  return infiniteQueryOptions({
    queryKey: ['application', clientId, 'users', userUid, 'history'],
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => {
      const input = { path: { clientId, userUid }, query: { offset, limit: PAGE }, signal };
      return (await api.get(`${USER}/history`, input)).data;
    },
    getNextPageParam: nextOffset,
  });
}

function nextOffset({ offset, limit, total }: { offset: number; limit: number; total: number }): number | undefined {
  return offset + limit < total ? offset + limit : undefined;
}
