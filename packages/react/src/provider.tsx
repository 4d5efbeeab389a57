'use client';

import {
  createSelectionStore,
  type OptionKey,
  type PageClient,
  type SelectionStore,
  type StoreData,
  type WatchEvent,
} from '@innkeeper/client';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { createDrafts, type Drafts, watchPointer } from './drafts.ts';
import { attributesOf, type LanguageAttributes } from './language.ts';
import type { Parts } from './parts.ts';
import { type Texts, textsFor } from './texts.ts';

export type InnkeeperProviderProps = {
  /** From createOptionsClient: created once, outside components or with useMemo. */
  // biome-ignore lint/suspicious/noExplicitAny: for any catalog; Register checks names and values
  client: PageClient<any>;
  /** The signed-in user in your application's own terms; undefined or null if no one is. */
  userId: string | null | undefined;
  /** Name or tag of one of the application's languages. */
  language?: string | undefined;
  /** The writing direction, if it cannot be derived from the language. */
  dir?: 'ltr' | 'rtl' | undefined;
  /** Replacements for the form's own texts. */
  texts?: Partial<Texts> | undefined;
  /** Replacements for parts of every form. */
  parts?: Partial<Parts> | undefined;
  /** What a store on the server had loaded: `store.data()`. */
  data?: StoreData | undefined;
  /**
   * Shows what other devices save and what is published, through a stream that is open while the page is visible;
   * default true.
   */
  live?: boolean | undefined;
  children?: ReactNode;
};

export type Innkeeper = {
  client: PageClient;
  /** undefined: no one is signed in. */
  store: SelectionStore | undefined;
  drafts: Drafts;
  language: string | undefined;
  dir: 'ltr' | 'rtl' | undefined;
  texts: Partial<Texts> | undefined;
  parts: Partial<Parts> | undefined;
};

const Context = createContext<Innkeeper | undefined>(undefined);

/** Provides the user and the connection for all forms and hooks below it. */
export function InnkeeperProvider(props: InnkeeperProviderProps) {
  const { userId, language, dir, texts, parts, data, live = true, children } = props;
  const client = props.client as PageClient;
  /** `before`: what the page passed for the previous user, and may still pass. */
  const make = (before?: StoreData) => ({
    store: userId
      ? createSelectionStore(client, { userId, language, data: data === before ? undefined : data })
      : undefined,
    drafts: createDrafts(),
    data: userId ? data : before,
  });
  // One user's data is never shown to another. A new client for the same user is only another connection.
  const [held, setHeld] = useState(() => make());
  let current = held;
  if (held.store?.userId !== (userId || undefined)) current = make(held.data);
  else if (userId && held.data !== data) current = { ...held, data };
  if (current !== held) setHeld(current);
  const { store, drafts } = current;

  useEffect(() => store?.setClient(client), [store, client]);
  useEffect(() => store?.setLanguage(language), [store, language]);
  useEffect(() => (store ? keepCurrent(store, drafts) : undefined), [store, drafts]);
  useEffect(() => (store ? reportFailures(store) : undefined), [store]);

  useEffect(() => (store && live ? watchWhileVisible(client, store) : undefined), [client, store, live]);

  const value = useMemo(
    () => ({ client, store, drafts, language, dir, texts, parts }),
    [client, store, drafts, language, dir, texts, parts],
  );
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

/** Users see that loading has failed; the page's developers see why. */
function reportFailures(store: SelectionStore): () => void {
  let last: string | undefined;
  const look = () => {
    const { error } = store.catalog();
    // biome-ignore lint/suspicious/noConsole: for the page's developers
    if (error && error.message !== last) console.error('Innkeeper could not load the options:', error);
    last = error?.message;
  };
  look();
  return store.subscribe(look);
}

/** Browsers allow few connections per host: pages in the background leave theirs to others. */
function watchWhileVisible(client: PageClient, store: SelectionStore): () => void {
  let stop: (() => void) | undefined;
  const look = () => {
    stop?.();
    stop = undefined;
    if (document.visibilityState !== 'visible') return;
    stop = client.watch((event) => {
      if (!isShown(store, event)) store.refresh().catch(() => {});
    });
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    document.removeEventListener('visibilitychange', look);
    stop?.();
  };
}

/** Whether the page already shows it: its own saves also come back as events. */
function isShown(store: SelectionStore, { name, data }: WatchEvent): boolean {
  if (name !== 'selection' || data.option_key_uid === null || data.option_group_uid === null) return false;
  const { option_key_uid, option_group_uid, value } = data;
  return JSON.stringify(store.get({ option_key_uid, option_group_uid }).value) === JSON.stringify(value);
}

/** Refreshes when the user returns to the page or comes online, and saves when they leave. */
function keepCurrent(store: SelectionStore, drafts: Drafts): () => void {
  watchPointer();
  const refresh = () => {
    if (document.visibilityState === 'visible') store.refresh().catch(() => {});
  };
  const leave = () => {
    drafts.commit(undefined);
    store.flush();
  };
  const events = [
    [document, 'visibilitychange', refresh],
    [window, 'online', refresh],
    [window, 'pagehide', leave],
  ] as const;
  for (const [target, event, act] of events) target.addEventListener(event, act);
  return () => {
    for (const [target, event, act] of events) target.removeEventListener(event, act);
  };
}

export function useInnkeeper(): Innkeeper {
  const innkeeper = useContext(Context);
  if (!innkeeper) throw new Error('Innkeeper hooks and components must be inside <InnkeeperProvider>.');
  return innkeeper;
}

/** The provider's client, for calls without a hook. */
export function useInnkeeperClient(): PageClient {
  return useInnkeeper().client;
}

const NOTHING: readonly OptionKey[] = [];

/**
 * Keys with input that is unsent, in flight or refused: for `beforeunload`, and for routers that ask before leaving a
 * page.
 */
export function useUnsavedOptions(): readonly OptionKey[] {
  const { store, drafts } = useInnkeeper();
  const source = useMemo(() => {
    let last = NOTHING;
    const read = () => {
      const keys = [...drafts.keys(), ...(store?.pending() ?? []), ...(store?.errors() ?? []).map(({ key }) => key)];
      const now = [...new Map(keys.map((key) => [key.option_key_uid, key])).values()];
      if (now.length !== last.length || now.some((key, at) => key !== last[at])) last = now;
      return last;
    };
    const subscribe = (listener: () => void) => {
      const ends = [drafts.subscribe(listener), store?.subscribe(listener)];
      return () => {
        for (const end of ends) end?.();
      };
    };
    return { subscribe, read };
  }, [store, drafts]);
  return useSyncExternalStore(source.subscribe, source.read, () => NOTHING);
}

/** The language and texts of the form. */
export function useLanguage(): LanguageAttributes & { texts: Texts } {
  const { language, dir, texts } = useInnkeeper();
  return useMemo(() => {
    const attributes = attributesOf(language);
    return { lang: attributes.lang, dir: dir ?? attributes.dir, texts: textsFor(attributes.lang, texts) };
  }, [language, dir, texts]);
}
