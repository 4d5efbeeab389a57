'use client';

import type {
  AnyCatalog,
  GroupName,
  InnkeeperError,
  Language,
  OptionGroup,
  OptionKey,
  OptionsClient,
  Selection,
} from '@innkeeper/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useInnkeeper } from './provider.tsx';
import { optionGroupsQuery, optionKeysQuery, selectionsQuery } from './queries.ts';

type Wanted<C extends AnyCatalog> = { language?: Language<C> | undefined };
type OfGroup<C extends AnyCatalog> = Wanted<C> & { group?: GroupName<C> | undefined };

/** The groups of the application, with their labels. */
export function useOptionGroups<C extends AnyCatalog = AnyCatalog>(
  wanted: Wanted<C> = {},
): UseQueryResult<OptionGroup[], InnkeeperError> {
  const { client, queryClient, scope, language } = useInnkeeper();
  return useQuery(optionGroupsQuery(client, scope, { language: wanted.language ?? language }), queryClient);
}

/** The keys of a group, or of all, with their labels and allowed values. */
export function useOptionKeys<C extends AnyCatalog = AnyCatalog>(
  wanted: OfGroup<C> = {},
): UseQueryResult<OptionKey[], InnkeeperError> {
  const { client, queryClient, scope, language } = useInnkeeper();
  const query = optionKeysQuery(client, scope, { group: wanted.group, language: wanted.language ?? language });
  return useQuery(query, queryClient);
}

export type Selections<C extends AnyCatalog> = UseQueryResult<Selection[], InnkeeperError> & {
  /** Shown as saved at once, and as it was if the service refuses; then the promise is rejected. */
  save: OptionsClient<C>['save'];
};

/** What holds for the user, defaults included. */
export function useSelections<C extends AnyCatalog = AnyCatalog>(wanted: OfGroup<C> = {}): Selections<C> {
  const { client, queryClient, scope, saver, language: usual } = useInnkeeper();
  const language = wanted.language ?? usual;
  const result = useQuery(selectionsQuery(client, scope, { group: wanted.group, language }), queryClient);
  const save = useMemo(() => saver.saveNamed.bind(saver) as unknown as OptionsClient<C>['save'], [saver]);
  return { ...result, save };
}
