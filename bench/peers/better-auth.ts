import { join } from 'node:path';
import { jsonRequest, request } from '../request.ts';
import { call, type Peer, startPeer, times } from './peer.ts';

const JSON_HEADERS = { 'Content-Type': 'application/json', Origin: 'http://127.0.0.1' };
const USERS = 100;
const PREFERENCES = JSON.stringify(
  Object.fromEntries(Array.from({ length: 10 }, (_, key) => [`choice-${key}`, 'often'])),
);

/** Better Auth on SQLite: users without a password, one-time tokens, and a field of the user with ten choices. */
export async function startBetterAuth(folder: string): Promise<Peer> {
  const server = await startPeer('better-auth-server.js', join(folder, 'better-auth.db'), folder);
  const { port } = server;
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const signIn = async (): Promise<string> => {
    const init = { method: 'POST', headers: JSON_HEADERS, body: '{}' };
    return (await call<{ token: string }>(port, '/api/auth/sign-in/anonymous', init)).token;
  };
  const update = (token: string, preferences: string) =>
    jsonRequest('POST', '/api/auth/update-user', { ...JSON_HEADERS, ...bearer(token) }, { preferences });
  const tokens = await times(USERS, signIn);
  const session = (token: string): string => request('GET', '/api/auth/get-session', bearer(token));
  const sessions = { once: false, prepare: async () => tokens.map(session) };
  return {
    name: 'better-auth',
    database: 'sqlite',
    ...server,
    operations: {
      'create-user': {
        once: false,
        prepare: async () => [jsonRequest('POST', '/api/auth/sign-in/anonymous', JSON_HEADERS, {})],
      },
      'get-access-token': {
        once: true,
        prepare: (count) =>
          times(count, async (index) => {
            const headers = bearer(tokens[index % USERS] ?? '');
            const { token } = await call<{ token: string }>(port, '/api/auth/one-time-token/generate', { headers });
            return jsonRequest('POST', '/api/auth/one-time-token/verify', JSON_HEADERS, { token });
          }),
      },
      'delete-user': {
        once: true,
        prepare: (count) =>
          times(count, async () =>
            jsonRequest('POST', '/api/auth/delete-anonymous-user', { ...JSON_HEADERS, ...bearer(await signIn()) }, {}),
          ),
      },
      'save-replace': {
        once: false,
        prepare: async () =>
          [PREFERENCES, '{}'].flatMap((preferences) => tokens.map((token) => update(token, preferences))),
      },
      'read-selections': sessions,
      introspect: sessions,
    },
  };
}
