import { type AccessToken, type OnSignedOut, withAccessToken } from './access-token.ts';
import type { AnyCatalog, Language } from './catalog.ts';
import { ownError } from './error.ts';
import { allWithInnkeeperErrors } from './innkeeper-errors.ts';
import { type AsUser, makeOptionsClient, type OptionsClient } from './options.ts';
import { createRequests, type RequestOptions, TIMEOUT_MS } from './request.ts';
import { type WatchEvent, watchStream } from './watch-stream.ts';

export type OptionsClientOptions<C extends AnyCatalog = AnyCatalog> = Omit<RequestOptions, 'cache' | 'credentials'> & {
  /** The clientId of the application: public, so pages may contain it. */
  apiKey: string;
  /** For a user's data; the catalog can be read without it. */
  accessToken?: AccessToken | undefined;
  /**
   * Called when the service accepts neither the token nor, if `accessToken` is a function, the new one: show the
   * sign-in.
   */
  onSignedOut?: OnSignedOut | undefined;
  /** The language of texts for calls that name none; the default is what the browser prefers. */
  language?: Language<C> | undefined;
};

/** What a page can do in addition to a server. */
export type PageClient<C extends AnyCatalog = AnyCatalog> = OptionsClient<C> & {
  /**
   * Reports changes, made on any device, until the returned function is called: `selection` and `catalog` as they
   * happen, and `reset` when the stream begins or could not be resumed, to read everything again. Reconnects
   * automatically.
   */
  watch(listener: (event: WatchEvent) => void, how?: { signal?: AbortSignal | undefined }): () => void;
};

const STREAM = '/api/user_options/events';

/** The options of one user, for a page or anything else that acts for them. */
export function createOptionsClient<C extends AnyCatalog = AnyCatalog>(given: OptionsClientOptions<C>): PageClient<C> {
  return allWithInnkeeperErrors(() => {
    const { apiKey, accessToken, onSignedOut, language, ...options } = given;
    const requests = createRequests({ ...options, headers: { ...options.headers, apiKey }, cache: new Map() });
    const withToken = withAccessToken(
      accessToken ??
        (() => {
          throw ownError('no_token', 'This needs the accessToken of a user: pass one to createOptionsClient.');
        }),
      onSignedOut,
    );
    const asUser: AsUser = ({ operation, signal }, call) =>
      withToken({ operation, signal, timeout: options.timeout ?? TIMEOUT_MS }, (token) =>
        call({ headers: { Authorization: `Bearer ${token}` } }),
      );
    return {
      ...makeOptionsClient<C>(requests, { asUser, language }),
      watch: (listener, { signal } = {}) =>
        watchStream(
          listener,
          signal,
          (resumed, limit) =>
            asUser({ operation: `get ${STREAM}`, signal: limit }, ({ headers }) =>
              requests.open(STREAM, {
                headers: { ...headers, ...resumed, Accept: 'text/event-stream' },
                signal: limit,
              }),
            ),
          typeof accessToken === 'string',
        ),
    };
  });
}
