import type { FetchInfiniteQueryOptions, FetchQueryOptions, QueryKey } from '@tanstack/react-query';
import i18next, { type FlatNamespace } from 'i18next';
import { queryClient } from './query-client.ts';

type Entered<P> = { params: P; location: { search: object }; preload: boolean };
type Search = Record<string, unknown>;

/**
 * The loader of a room: requests its texts and data while its files load. Preloading a link requests no data, because
 * reads of users are audited.
 */
export function whileLoading<P = object>(
  texts: FlatNamespace[],
  prefetch: (params: P, search: Search) => Promise<void>[] = () => [],
) {
  return async ({ params, location, preload }: Entered<P>): Promise<void> => {
    if (!preload) void Promise.all(prefetch(params, location.search as Search));
    await i18next.loadNamespaces(texts);
  };
}

export function prefetchQuery<T, E extends Error, D, K extends QueryKey>(
  query: FetchQueryOptions<T, E, D, K>,
): Promise<void> {
  return queryClient.prefetchQuery(query);
}

export function prefetchList<T, E extends Error, D, K extends QueryKey, P>(
  query: FetchInfiniteQueryOptions<T, E, D, K, P>,
): Promise<void> {
  return queryClient.prefetchInfiniteQuery(query);
}
