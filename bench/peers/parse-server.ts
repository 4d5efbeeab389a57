import { randomUUID } from 'node:crypto';
import { jsonRequest, request } from '../request.ts';
import { call, type Peer, startPeer, times } from './peer.ts';

const APPLICATION = { 'X-Parse-Application-Id': 'bench' };
const MASTER = { ...APPLICATION, 'X-Parse-Master-Key': 'a master key of the benchmark' };
const USERS = 100;
const SELECTIONS = 10;

type Made = { objectId: string; sessionToken: string };

/** Parse Server on PostgreSQL: anonymous users, and objects of the classes Selection and OptionKey. */
export async function startParseServer(databaseUrl: string, folder: string): Promise<Peer> {
  const server = await startPeer('parse-server-server.js', databaseUrl, folder);
  const { port } = server;
  const put = <T>(method: string, path: string, body: object, headers = APPLICATION): Promise<T> =>
    call<T>(port, path, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const post = <T>(path: string, body: object): Promise<T> => put('POST', path, body);
  const anonymous = (id: string): object => ({ authData: { anonymous: { id } } });
  const signUp = (id: string): Promise<Made> => post('/parse/users', anonymous(id));
  const withSession = ({ sessionToken }: Made) => ({ ...APPLICATION, 'X-Parse-Session-Token': sessionToken });

  const names = Array.from({ length: USERS }, () => randomUUID());
  const users = await times(USERS, (index) => signUp(names[index] ?? ''));
  // Create the class and its column first, or parallel requests would race to do it.
  const selection = (user: Made | undefined, key: number, value: string) => ({
    userCode: user?.objectId,
    optionKey: `choice-${key}`,
    value,
  });
  await post('/parse/classes/Selection', selection(users[0], 0, 'often'));
  const index = { className: 'Selection', indexes: { by_user: { userCode: 1 } } };
  await put('PUT', '/parse/schemas/Selection', index, MASTER);
  const selections = await times(USERS * SELECTIONS, (at) =>
    post<Made>('/parse/classes/Selection', selection(users[at % USERS], Math.floor(at / USERS), 'often')),
  );
  const texts = Array.from({ length: 5 }, (_, language) => ({
    language: `l${language}`,
    name: `A text in l${language}`,
  }));
  const key = (at: number) => ({
    name: `choice-${at}`,
    value_type: 'string',
    values: ['often', 'never'],
    translations: texts,
  });
  const { objectId: keyId } = await post<Made>('/parse/classes/OptionKey', key(0));
  for (let at = 1; at < 20; at++) await post('/parse/classes/OptionKey', key(at));

  const repeated = (requests: string[]) => ({ once: false, prepare: async () => requests });
  const ofUser = ({ objectId }: Made): string => encodeURIComponent(JSON.stringify({ userCode: objectId }));
  return {
    name: 'parse-server',
    database: 'postgres',
    ...server,
    operations: {
      'list-keys': repeated([request('GET', '/parse/classes/OptionKey?limit=50', APPLICATION)]),
      'get-key': repeated([request('GET', `/parse/classes/OptionKey/${keyId}`, APPLICATION)]),
      'create-user': {
        once: true,
        prepare: async (count) =>
          Array.from({ length: count }, () =>
            jsonRequest('POST', '/parse/users', APPLICATION, anonymous(randomUUID())),
          ),
      },
      // Signing up again with the same identity signs in, and returns a new session.
      'get-access-token': repeated(names.map((id) => jsonRequest('POST', '/parse/users', APPLICATION, anonymous(id)))),
      'delete-user': {
        once: true,
        prepare: (count) =>
          times(count, async () => {
            const made = await signUp(randomUUID());
            return request('DELETE', `/parse/users/${made.objectId}`, withSession(made));
          }),
      },
      save: repeated(
        users.map((user) =>
          jsonRequest('POST', '/parse/classes/Selection', withSession(user), selection(user, 11, 'often')),
        ),
      ),
      'save-replace': repeated(
        ['never', 'often'].flatMap((value) =>
          selections.map(({ objectId }) =>
            jsonRequest('PUT', `/parse/classes/Selection/${objectId}`, APPLICATION, { value }),
          ),
        ),
      ),
      'read-selections': repeated(
        users.map((user) =>
          request('GET', `/parse/classes/Selection?where=${ofUser(user)}&limit=${SELECTIONS}`, withSession(user)),
        ),
      ),
      introspect: repeated(users.map((user) => request('GET', '/parse/users/me', withSession(user)))),
    },
  };
}
