import { useDebouncedValue, useLocalStorage } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { type Filter, filterRows, type Only } from './filter-rows.ts';
import { TEXT_ISSUES } from './search.ts';
import type { SheetState } from './sheet-state.ts';
import { defaultTag, type Language } from './text-row.ts';

const FROM = '/frame/applications/$clientId/translations';

/**
 * Which rows and languages are shown. The rows stay as they were when the filter was set, so that a row does not vanish
 * while its text is being typed.
 */
export function useFilter(clientId: string, languages: readonly Language[], { rows, loads }: SheetState) {
  const { search = '', group, ...lacks } = useSearch({ from: FROM });
  const issue = TEXT_ISSUES.find((name) => lacks[name] !== undefined);
  const issueTag = issue && lacks[issue];
  const navigate = useNavigate({ from: '/applications/$clientId/translations' });
  const [attention, setAttention] = useState(false);
  const [hidden, setHidden] = useLocalStorage<string[]>({
    key: `innkeeper-hidden-languages ${clientId}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const [searched] = useDebouncedValue(search, 150);

  const shown = useMemo(() => {
    const left = languages.filter(({ tag }) => !hidden.includes(tag));
    return left.length > 0 ? left : languages.slice(0, 1);
  }, [languages, hidden]);

  const filter: Filter = useMemo(
    () => ({
      ...{ search: searched, group, attention },
      only: issue && issueTag !== undefined ? { issue, tag: issueTag } : undefined,
    }),
    [searched, group, issue, issueTag, attention],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when rows were reloaded
  const ids = useMemo(() => filterRows(rows, filter, shown, defaultTag(languages)), [loads, filter, shown]);

  const set = useCallback(
    (
      { only, ...change }: { search?: string; group?: string | undefined; only?: Only | undefined },
      isComplete = false,
    ) => {
      void navigate({
        search: ({ search: typed, group: chosen, ...lacked }) => ({
          ...{ search: typed, group: chosen, ...change },
          ...(change.search === '' && { search: undefined }),
          ...(only ? { [only.issue]: only.tag } : !isComplete && lacked),
        }),
        replace: true,
      });
    },
    [navigate],
  );

  return useMemo(
    () => ({
      search,
      filter,
      ids,
      shown,
      isFiltered: search !== '' || group !== undefined || issue !== undefined || attention,
      set,
      /** Without one, shows all texts again. */
      setOnly: (only: Only | undefined) => set({ ...(only && { only }) }, true),
      setAttention,
      clear: () => {
        setAttention(false);
        set({ search: '', group: undefined }, true);
      },
      show: (tags: readonly string[]) =>
        setHidden(languages.filter(({ tag }) => !tags.includes(tag)).map(({ tag }) => tag)),
    }),
    [search, filter, ids, shown, group, issue, attention, set, setHidden, languages],
  );
}

export type FilterControl = ReturnType<typeof useFilter>;
