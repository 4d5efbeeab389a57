'use client';

import { type AccessToken, createOptionsClient, type OptionsClient } from '@innkeeper/client';
import { QueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react';
import { attributesOf, type LanguageAttributes } from './language.ts';
import type { Parts } from './parts.ts';
import { type Scope, scopeOf } from './queries.ts';
import { SelectionSaver } from './selection-saver.ts';
import { type Texts, textsFor } from './texts.ts';

export type InnkeeperProviderProps = {
  /** Where the service is. */
  baseUrl: string;
  /** The clientId of the application: public. */
  apiKey: string;
  /** Of the user; or what comes by one, and is asked again when one has expired. */
  accessToken?: AccessToken | undefined;
  /** Name or tag of one of the application's languages. */
  language?: string | undefined;
  /** The way texts are written, where it cannot be told from the language. */
  dir?: 'ltr' | 'rtl' | undefined;
  /** Instead of the words of the form itself. */
  texts?: Partial<Texts> | undefined;
  /** Instead of parts of every form. */
  parts?: Partial<Parts> | undefined;
  /** Of the page, to share or to fill on the server; another user needs another one. */
  queryClient?: QueryClient | undefined;
  children?: ReactNode;
};

export type Innkeeper = {
  client: OptionsClient;
  queryClient: QueryClient;
  scope: Scope;
  saver: SelectionSaver;
  language: string | undefined;
  dir: 'ltr' | 'rtl' | undefined;
  texts: Partial<Texts> | undefined;
  parts: Partial<Parts> | undefined;
};

const Context = createContext<Innkeeper | undefined>(undefined);

/** For whom and from where the forms and hooks below it read and save. */
export function InnkeeperProvider(props: InnkeeperProviderProps) {
  const { baseUrl, apiKey, accessToken, language, dir, texts, parts, queryClient: given, children } = props;
  // A function that a page makes anew with every rendering is still the same way to a token; another text is not.
  const latest = useRef(accessToken);
  useEffect(() => {
    latest.current = accessToken;
  });
  const identity = typeof accessToken === 'string' ? accessToken : accessToken && 'asked for';

  const connection = useMemo(() => {
    const token = (rejected: string | undefined) => {
      const now = latest.current;
      return typeof now === 'function' ? now(rejected) : (now ?? '');
    };
    const client = createOptionsClient({ baseUrl, apiKey, accessToken: identity === 'asked for' ? token : identity });
    const queryClient = given ?? new QueryClient();
    const scope = scopeOf({ baseUrl, apiKey });
    return { client, queryClient, scope, saver: new SelectionSaver(client, queryClient, scope) };
  }, [baseUrl, apiKey, identity, given]);

  // Whoever comes back to the page, or back online, sees what holds then.
  useEffect(() => {
    connection.queryClient.mount();
    return () => connection.queryClient.unmount();
  }, [connection]);

  const value = useMemo(
    () => ({ ...connection, language, dir, texts, parts }),
    [connection, language, dir, texts, parts],
  );
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

export function useInnkeeper(): Innkeeper {
  const innkeeper = useContext(Context);
  if (!innkeeper) throw new Error('There is no <InnkeeperProvider> around this.');
  return innkeeper;
}

/** How texts are shown: in the language of the call, or else of the provider. */
export function useLanguage(
  own: string | undefined,
): LanguageAttributes & { language: string | undefined; texts: Texts } {
  const { language: usual, dir, texts } = useInnkeeper();
  const language = own ?? usual;
  return useMemo(() => {
    const attributes = attributesOf(language);
    return { language, lang: attributes.lang, dir: dir ?? attributes.dir, texts: textsFor(attributes.lang, texts) };
  }, [language, dir, texts]);
}
