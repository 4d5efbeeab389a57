import type { InnkeeperError, OptionGroup, OptionKey, OptionsClient, Selection } from '@innkeeper/client';
import type { UseQueryOptions } from '@tanstack/react-query';

type Query<T> = UseQueryOptions<T, InnkeeperError, T>;

/** What queries of one service and application have in common. */
export type Scope = readonly unknown[];

/** The first part of the keys of all queries: for pages that fill a QueryClient on the server. */
export function scopeOf({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Scope {
  return ['innkeeper', baseUrl, apiKey];
}

// The client itself asks again where that helps, and a browser that calls itself offline may be wrong.
const USUAL = { retry: false, networkMode: 'always' } as const;
const CATALOG_FRESH_MS = 60_000;

/** In another language, the texts of the one before stay until the new ones are there; of another group they do not. */
const sameGroup =
  (place: number, group: string | undefined) =>
  <T>(previous: T | undefined, query: { queryKey: readonly unknown[] } | undefined): T | undefined =>
    query?.queryKey[place] === group ? previous : undefined;

export function optionGroupsQuery(
  client: OptionsClient,
  scope: Scope,
  { language }: { language?: string | undefined } = {},
): Query<OptionGroup[]> {
  return {
    queryKey: [...scope, 'groups', language],
    queryFn: ({ signal }) => client.groups({ language, signal }).all(),
    placeholderData: (previous) => previous,
    staleTime: CATALOG_FRESH_MS,
    ...USUAL,
  };
}

export function optionKeysQuery(
  client: OptionsClient,
  scope: Scope,
  { group, language }: { group?: string | undefined; language?: string | undefined } = {},
): Query<OptionKey[]> {
  return {
    queryKey: [...scope, 'keys', group, language],
    queryFn: ({ signal }) => client.keys({ group, language, signal }).all(),
    placeholderData: sameGroup(scope.length + 1, group),
    staleTime: CATALOG_FRESH_MS,
    ...USUAL,
  };
}

export function selectionsQuery(
  client: OptionsClient,
  scope: Scope,
  { group, language }: { group?: string | undefined; language?: string | undefined } = {},
): Query<Selection[]> {
  return {
    queryKey: [...scope, 'selections', group, language],
    queryFn: ({ signal }) => client.selections({ group, language, effective: true, signal }).all(),
    placeholderData: sameGroup(scope.length + 1, group),
    ...USUAL,
  };
}
