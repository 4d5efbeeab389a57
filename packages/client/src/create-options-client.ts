import { type AccessToken, withAccessToken } from './access-token.ts';
import type { AnyCatalog, Language } from './catalog.ts';
import { ownError } from './error.ts';
import { makeOptionsClient, type OptionsClient } from './options.ts';
import { ofOneClassAll } from './own-class.ts';
import { createRequests, type RequestOptions, TIMEOUT_MS } from './request.ts';

export type OptionsClientOptions<C extends AnyCatalog = AnyCatalog> = Omit<RequestOptions, 'cache' | 'credentials'> & {
  /** The clientId of the application: public, for pages too. */
  apiKey: string;
  /** For what belongs to a user; the catalog can be read without. */
  accessToken?: AccessToken | undefined;
  /** Of all texts where a call names none; what the browser prefers if there is none here either. */
  language?: Language<C> | undefined;
};

/** The options of one user, for a page or anything else that acts for them. */
export function createOptionsClient<C extends AnyCatalog = AnyCatalog>(
  given: OptionsClientOptions<C>,
): OptionsClient<C> {
  return ofOneClassAll(() => {
    const { apiKey, accessToken, language, ...options } = given;
    const requests = createRequests({ ...options, headers: { ...options.headers, apiKey }, cache: new Map() });
    const withToken = withAccessToken(
      accessToken ??
        (() => {
          throw ownError('misused', 'This needs the accessToken of a user: give one to createOptionsClient.');
        }),
    );
    return makeOptionsClient<C>(requests, {
      asUser: ({ operation, signal }, call) =>
        withToken({ operation, signal, timeout: options.timeout ?? TIMEOUT_MS }, (token) =>
          call({ headers: { Authorization: `Bearer ${token}` } }),
        ),
      language,
    });
  });
}
