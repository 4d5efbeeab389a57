'use client';

import type { CatalogState, InnkeeperError, OptionKey, OptionState, Source } from '@innkeeper/client';
import { useMemo, useSyncExternalStore } from 'react';
import { useInnkeeper } from './provider.tsx';
import type { OptionName, OptionValue } from './register.ts';

const LOADING: OptionState = {
  key: undefined,
  value: undefined,
  source: 'unset',
  status: 'loading',
  failed: undefined,
  error: undefined,
};
const EMPTY: CatalogState = { isLoaded: false, groups: [], keys: [], error: undefined };
const never = () => () => {};

export type Which = string | Pick<OptionKey, 'option_group_uid' | 'option_key_uid'>;

export function useOptionState(which: Which): OptionState {
  const { store } = useInnkeeper();
  const read = () => store?.get(which as OptionName) ?? LOADING;
  return useSyncExternalStore(store?.subscribe ?? never, read, read);
}

/** What can be chosen: groups and keys, with texts in the provider's language. */
export function useOptionCatalog(): CatalogState {
  const { store } = useInnkeeper();
  const read = store?.catalog ?? (() => EMPTY);
  return useSyncExternalStore(store?.subscribe ?? never, read, read);
}

export type Option<V> = {
  /** The current value, or the one being saved. undefined: neither chosen nor a default, or still loading. */
  value: V | undefined;
  source: Source;
  isDefault: boolean;
  status: OptionState['status'];
  error: InnkeeperError | undefined;
  /** undefined: still loading, or not in the catalog. */
  key: OptionKey | undefined;
  /** Shows the value immediately, everywhere on the page; resolves when it is saved or has failed. */
  set(value: V): Promise<OptionState<V>>;
  /** Resets to the default, if there is one. */
  reset(): Promise<OptionState<V>>;
  /** Retries what could not be saved. */
  retry(): Promise<OptionState<V>>;
};

/** One option of the user, typed by the registered catalog: `useOption('appearance.theme')`. */
export function useOption<N extends OptionName>(name: N): Option<OptionValue<N>> {
  const { store } = useInnkeeper();
  const { value, source, status, error, key } = useOptionState(name);
  const acts = useMemo(() => {
    const there = () => {
      if (!store) throw new Error('No one is signed in: <InnkeeperProvider> has no userId.');
      return store;
    };
    return {
      set: async (wanted: never) => there().set(name, wanted),
      reset: async () => there().unset(name),
      retry: async () => there().retry(name),
    };
  }, [store, name]);
  return { value, source, isDefault: source === 'default', status, error, key, ...acts } as unknown as Option<
    OptionValue<N>
  >;
}
