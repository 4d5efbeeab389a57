import type { AnyCatalog, Language } from './catalog.ts';
import { isInnkeeperError, ownError } from './error.ts';
import { allWithInnkeeperErrors } from './innkeeper-errors.ts';
import { KeyUids } from './key-uids.ts';
import type { OutputOf } from './operation.ts';
import { makeOptionsClient, type OptionsClient } from './options.ts';
import { Pages } from './pages.ts';
import { createRequests, type RequestOptions } from './request.ts';
import { pause } from './retry.ts';

export type { AnyCatalog } from './catalog.ts';
export { type ErrorOf, type FieldProblem, InnkeeperError, isInnkeeperError, type OwnCode } from './error.ts';
export type { OperationName } from './operation.ts';
export { type OptionsClient, selectionOf } from './options.ts';

export type UserWithToken = OutputOf<'/api/v2/app/create-user', 'post'>;
export type GrantedToken = OutputOf<'/oauth/v2/get-access-token', 'post'>;
export type ApplicationUser = OutputOf<'/api/v2/app/{clientId}/users/{serviceUserCode}', 'get'>;
export type PreferenceLink = OutputOf<'/api/v2/app/{clientId}/users/{serviceUserCode}/preference-link', 'post'>;
export type TokenFacts = OutputOf<'/oauth/v2/introspect', 'post'>;

export type UsersClientOptions<C extends AnyCatalog = AnyCatalog> = Omit<RequestOptions, 'cache' | 'credentials'> & {
  clientId: string;
  clientSecret: string;
  /** The address of the options API, if it differs. */
  profileUrl?: string | URL | undefined;
  language?: Language<C> | undefined;
};

type Call = { signal?: AbortSignal | undefined };
/** A service_user_code, or the application's own id. */
export type Who = string | { clientUserId: string };
export type UserChange = Partial<Pick<ApplicationUser, 'clientUserId' | 'clientUserName' | 'status'>>;
export type UserFilter = {
  status?: ApplicationUser['status'] | undefined;
  /** `group.key=value`, `group.key!=value`, `group.key` or `!group.key`; all must hold. */
  where?: string | readonly string[] | undefined;
  /** Whether defaults count. */
  effective?: boolean | undefined;
};
/** The default is all groups, in the browser's language, for 30 days. */
export type LinkOptions = {
  groups?: readonly string[] | undefined;
  language?: string | undefined;
  /** Seconds; a year at most. */
  expiresIn?: number | undefined;
  /** What one click in a mail program saves: `{ 'group.key': [values] }`. */
  unsubscribe?: Readonly<Record<string, readonly (boolean | string | number)[]>> | undefined;
};
type NewUser = { clientUserId: string; clientUserName: string };

export type UsersClient<C extends AnyCatalog = AnyCatalog> = {
  /** Safe to retry: every call has an Idempotency-Key, a new one unless it is given. */
  createUser(user: NewUser, how?: Call & { idempotencyKey?: string | undefined }): Promise<UserWithToken>;
  /** A new specialToken for an existing user; earlier unused ones stop working. */
  issueSpecialToken(clientUserId: string, how?: Call): Promise<UserWithToken>;
  /** A specialToken can be exchanged once. */
  getAccessToken(specialToken: string, how?: Call): Promise<GrantedToken>;
  /** What most servers need at sign-in: an access token of this user, who is created if necessary. */
  signIn(user: NewUser, how?: Call): Promise<GrantedToken>;
  get(who: Who, how?: Call): Promise<ApplicationUser>;
  /** Read page by page while you iterate. */
  list(filter?: UserFilter, how?: Call): Pages<ApplicationUser>;
  update(who: Who, change: UserChange, how?: Call): Promise<ApplicationUser>;
  /** Their access tokens count as revoked until `resume`. */
  suspend(who: Who, how?: Call): Promise<ApplicationUser>;
  resume(who: Who, how?: Call): Promise<ApplicationUser>;
  deleteUser(who: Who, how?: Call): Promise<void>;
  /** A page of the user's options that needs no sign-in; with `unsubscribe`, also the two mail headers of RFC 8058. */
  preferenceLink(serviceUserCode: string, wanted?: LinkOptions, how?: Call): Promise<PreferenceLink>;
  /** All links created for the user so far stop working. */
  withdrawPreferenceLinks(serviceUserCode: string, how?: Call): Promise<void>;
  introspect(accessToken: string, how?: Call): Promise<TokenFacts>;
  revoke(accessToken: string, how?: Call): Promise<void>;
  /** A user's selections, with the application's credentials. */
  optionsOf(serviceUserCode: string): OptionsClient<C>;
};

/** Calls that need the clientSecret: for servers. Refuses to run in a browser, where anyone could read the secret. */
export function createUsersClient<C extends AnyCatalog = AnyCatalog>(given: UsersClientOptions<C>): UsersClient<C> {
  refuseBrowser();
  return allWithInnkeeperErrors(() => makeUsersClient(given));
}

function makeUsersClient<C extends AnyCatalog>({
  clientId,
  clientSecret,
  profileUrl,
  language,
  ...options
}: UsersClientOptions<C>): UsersClient<C> {
  const requests = createRequests(options);
  const headers = { Authorization: `Basic ${inBase64(`${clientId}:${clientSecret}`)}` };
  const profile = createRequests({
    ...options,
    baseUrl: profileUrl ?? options.baseUrl,
    headers: { ...options.headers, apiKey: clientId },
    cache: new Map(),
  });

  // Names of keys are the same for all users.
  const uids = new KeyUids();

  const aboutToken = (token: string, signal: AbortSignal | undefined) => {
    // The service answers a promise or an object, sent as text, like a token that is already revoked.
    if (typeof token !== 'string') throw ownError('misused', 'Pass the access_token as a string.');
    return {
      body: new URLSearchParams({ token }).toString(),
      headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
      signal,
      repeatable: true,
    };
  };

  const signed = ({ signal }: Call = {}) => ({ headers, signal, due: 'service_user_code' });
  type ByCode = '/api/v2/app/{clientId}/users/{serviceUserCode}';
  /** Both paths of a user have the same input and output. */
  const atUser = <T>(
    who: Who,
    call: (path: ByCode, at: { path: { clientId: string; serviceUserCode: string } }) => T,
  ): T =>
    typeof who === 'string'
      ? call(`${USERS}/{serviceUserCode}`, { path: { clientId, serviceUserCode: who } })
      : call(`${USERS}/by-client-id/{clientUserId}` as ByCode, {
          path: { clientId, clientUserId: who.clientUserId } as never,
        });

  const client: UsersClient<C> = {
    async createUser({ clientUserId, clientUserName }, { signal, idempotencyKey = crypto.randomUUID() } = {}) {
      const sent = {
        body: { clientId, clientSecret, clientUserId, clientUserName },
        headers: { 'Idempotency-Key': idempotencyKey },
        signal,
        repeatable: 'keyed' as const,
        due: 'specialToken',
      };
      return (await requests.post('/api/v2/app/create-user', sent)).data;
    },
    async issueSpecialToken(clientUserId, { signal } = {}) {
      const sent = { body: { clientId, clientSecret, clientUserId }, signal, repeatable: true, due: 'specialToken' };
      return (await requests.post('/api/v2/app/special-token', sent)).data;
    },
    async getAccessToken(specialToken, { signal } = {}) {
      // Never retry: the first try may have used up the specialToken.
      const sent = { body: { clientSecret, specialToken }, signal, due: 'access_token' };
      return (await requests.post('/oauth/v2/get-access-token', sent)).data;
    },
    async signIn(user, how) {
      for (let attempt = 1; ; attempt++) {
        try {
          const { specialToken } = await freshSpecialToken(client, user, how);
          return await client.getAccessToken(specialToken, how);
        } catch (error) {
          // The same user is signing in elsewhere: created there first, or with a newer specialToken than ours.
          const raced = isInnkeeperError(error) && ['0001', '0008'].includes(error.code);
          if (!raced || attempt === SIGN_IN_ATTEMPTS) throw error;
          // Without jitter they would invalidate each other's tokens forever.
          await pause(Math.random() * 40 * 2 ** attempt, how?.signal, error.operation);
        }
      }
    },
    get: async (who, how) => (await atUser(who, (path, at) => requests.get(path, { ...at, ...signed(how) }))).data,
    list: (filter = {}, how) =>
      new Pages(async (place) => {
        const query = { ...filter, ...place, limit: 200 } as never;
        const sent = { path: { clientId }, query, ...signed(how), due: 'items' };
        return (await requests.get('/api/v2/app/{clientId}/users', sent)).data;
      }),
    update: async (who, body, how) =>
      (await atUser(who, (path, at) => requests.patch(path, { ...at, body, ...signed(how) }))).data,
    suspend: (who, how) => client.update(who, { status: 'suspended' }, how),
    resume: (who, how) => client.update(who, { status: 'active' }, how),
    async deleteUser(who, how) {
      await atUser(who, (path, at) => requests.delete(path, { ...at, ...signed(how), due: null }));
    },
    async preferenceLink(serviceUserCode, { expiresIn, ...wanted } = {}, how) {
      const body = { ...wanted, expires_in: expiresIn } as never;
      const sent = { path: { clientId, serviceUserCode }, body, ...signed(how), repeatable: true, due: 'url' };
      return (await requests.post(LINK, sent)).data;
    },
    async withdrawPreferenceLinks(serviceUserCode, how) {
      await requests.delete(LINK, { path: { clientId, serviceUserCode }, ...signed(how), due: null });
    },
    async introspect(accessToken, { signal } = {}) {
      return (
        await requests.post('/oauth/v2/introspect', { ...aboutToken(accessToken, signal), due: 'active' } as never)
      ).data;
    },
    async revoke(accessToken, { signal } = {}) {
      await requests.post('/oauth/v2/revoke', { ...aboutToken(accessToken, signal), due: null } as never);
    },
    optionsOf: (serviceUserCode) =>
      allWithInnkeeperErrors(() =>
        makeOptionsClient<C>(profile, {
          asUser: (_, call) => call({ headers, user_uid: serviceUserCode }),
          language,
          uids,
        }),
      ),
  };
  return client;
}

const USERS = '/api/v2/app/{clientId}/users';
const LINK = `${USERS}/{serviceUserCode}/preference-link` as const;
const SIGN_IN_ATTEMPTS = 5;

async function freshSpecialToken(
  client: Pick<UsersClient, 'issueSpecialToken' | 'createUser'>,
  user: NewUser,
  how: Call | undefined,
): Promise<UserWithToken> {
  try {
    return await client.issueSpecialToken(user.clientUserId, how);
  } catch (error) {
    if (!isInnkeeperError(error) || error.code !== '0025') throw error;
    return client.createUser(user, how);
  }
}

function refuseBrowser(): void {
  if (typeof document !== 'undefined' || 'importScripts' in globalThis) {
    throw ownError(
      'misused',
      'The clientSecret must never reach a browser: use @innkeeper/client/users on your server.',
    );
  }
}

function inBase64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
