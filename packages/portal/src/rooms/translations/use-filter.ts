import { useDebouncedValue, useLocalStorage } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { type Filter, filterRows } from './filter-rows.ts';
import type { SheetState } from './sheet-state.ts';
import type { Language } from './text-row.ts';

const FROM = '/frame/applications/$clientId/translations';

/**
 * Which rows and languages are shown. The rows stay what they were when the filter was set: what gets its text
 * does not vanish while it is being typed.
 */
export function useFilter(clientId: string, languages: readonly Language[], { rows, loads }: SheetState) {
  const { search = '', group, missing } = useSearch({ from: FROM });
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
    () => ({ search: searched, group, missing, attention }),
    [searched, group, missing, attention],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when rows were reloaded
  const paths = useMemo(() => filterRows(rows, filter, shown), [loads, filter, shown]);

  const set = useCallback(
    (change: { search?: string; group?: string | undefined; missing?: string | undefined }) => {
      void navigate({
        search: (before) => ({ ...before, ...change, ...(change.search === '' && { search: undefined }) }),
        replace: true,
      });
    },
    [navigate],
  );

  return useMemo(
    () => ({
      search,
      filter,
      paths,
      shown,
      isFiltered: search !== '' || group !== undefined || missing !== undefined || attention,
      set,
      setAttention,
      clear: () => {
        setAttention(false);
        set({ search: '', group: undefined, missing: undefined });
      },
      show: (tags: readonly string[]) =>
        setHidden(languages.filter(({ tag }) => !tags.includes(tag)).map(({ tag }) => tag)),
    }),
    [search, filter, paths, shown, group, missing, attention, set, setHidden, languages],
  );
}

export type FilterControl = ReturnType<typeof useFilter>;
