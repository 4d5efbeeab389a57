import { randomUUID } from 'node:crypto';
import { jsonRequest, request } from '../request.ts';
import { call, type Peer, startPeer, times } from './peer.ts';

const ADMIN = { Authorization: 'Bearer a-token-of-the-benchmark' };
const USERS = 100;
const SELECTIONS = 10;

type Made = { id: string };

/**
 * Directus on PostgreSQL: users without a password, and items of the collections selections and option_keys, read and
 * written by an administrator, without rules for each user. It has no exchange of a one-time token: its sign-in hashes
 * a password, which would compare hashing.
 */
export async function startDirectus(databaseUrl: string, folder: string): Promise<Peer> {
  const server = await startPeer('directus-server.js', databaseUrl, folder);
  const { port } = server;
  const post = async <T>(path: string, body: object): Promise<T> => {
    const init = {
      method: 'POST',
      headers: { ...ADMIN, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    };
    return (await call<{ data: T }>(port, path, init)).data;
  };
  const newUser = (token?: string) => ({ email: `${randomUUID()}@example.com`, ...(token && { token }) });
  const uuid = { field: 'id', type: 'uuid', meta: { special: ['uuid'] }, schema: { is_primary_key: true } };
  const text = (field: string) => ({ field, type: 'string', schema: { is_indexed: field === 'user_code' } });
  const collection = (name: string, fields: object[]) =>
    post('/collections', { collection: name, schema: {}, meta: {}, fields: [uuid, ...fields] });
  await collection('selections', ['user_code', 'option_key', 'value'].map(text));
  const json = (field: string) => ({ field, type: 'json', meta: { special: ['cast-json'] } });
  await collection('option_keys', [text('name'), text('value_type'), json('values'), json('translations')]);

  const tokens = Array.from({ length: USERS }, () => randomUUID());
  const users = await times(USERS, (at) => post<Made>('/users', newUser(tokens[at])));
  const selection = (user: Made | undefined, key: number) => ({
    user_code: user?.id,
    option_key: `choice-${key}`,
    value: 'often',
  });
  const selections = await times(USERS * SELECTIONS, (at) =>
    post<Made>('/items/selections', selection(users[at % USERS], Math.floor(at / USERS))),
  );
  const texts = Array.from({ length: 5 }, (_, at) => ({ language: `l${at}`, name: `A text in l${at}` }));
  const keys = await times(20, (at) =>
    post<Made>('/items/option_keys', {
      ...{ name: `choice-${at}`, value_type: 'string' },
      ...{ values: ['often', 'never'], translations: texts },
    }),
  );

  const repeated = (requests: string[]) => ({ once: false, prepare: async () => requests });
  return {
    name: 'directus',
    database: 'postgres',
    ...server,
    operations: {
      'list-keys': repeated([request('GET', '/items/option_keys?limit=50', ADMIN)]),
      'get-key': repeated([request('GET', `/items/option_keys/${keys[0]?.id}`, ADMIN)]),
      'create-user': {
        once: true,
        prepare: async (count) => Array.from({ length: count }, () => jsonRequest('POST', '/users', ADMIN, newUser())),
      },
      'delete-user': {
        once: true,
        prepare: (count) =>
          times(count, async () => request('DELETE', `/users/${(await post<Made>('/users', newUser())).id}`, ADMIN)),
      },
      save: repeated(users.map((user) => jsonRequest('POST', '/items/selections', ADMIN, selection(user, 11)))),
      'save-replace': repeated(
        ['never', 'often'].flatMap((value) =>
          selections.map(({ id }) => jsonRequest('PATCH', `/items/selections/${id}`, ADMIN, { value })),
        ),
      ),
      'read-selections': repeated(
        users.map(({ id }) =>
          request('GET', `/items/selections?filter[user_code][_eq]=${id}&limit=${SELECTIONS}`, ADMIN),
        ),
      ),
      introspect: repeated(tokens.map((token) => request('GET', '/users/me', { Authorization: `Bearer ${token}` }))),
    },
  };
}
