import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importUsers } from '../../src/domain/users/import-users.ts';
import { databases } from '../databases.ts';
import { manageWith } from '../manage/manage.ts';
import { withCatalog } from './options/example-catalog.ts';
import { basic, bearer, startTestServer, type TestServer } from './start.ts';

/** More than any list reads at once. */
const USERS = 10_100;

describe.each(databases)('a list whose reader has left on $kind', (database) => {
  let server: TestServer;
  let requests: Record<string, { path: string; headers: Record<string, string> }>;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    const { application } = await withCatalog(server);
    const { appId, clientId } = application;
    const ids = Array.from({ length: USERS }, (_, index) => ({ clientUserId: `user${index}`, clientUserName: 'x' }));
    const lines = async function* () {
      yield ids.map((user, index) => ({ line: index + 1, text: JSON.stringify(user) }));
    };
    await importUsers(server.service.storage, appId, lines(), {
      ...{ at: Date.now(), newCodes: false, withRetired: false, ifThere: 'keep', withoutEvents: true },
      onRejected: (rejection) => expect.unreachable(JSON.stringify(rejection)),
    });
    const { token } = await manageWith(server, { appIds: [appId], access: 'own' });
    const manage = { headers: bearer(token) };
    const area = { headers: basic(application) };
    const none = `where=${encodeURIComponent('kitchen.vegetarian!=false')}&effective=true`;
    requests = {
      'search by part': { path: `/manage/v1/applications/${clientId}/users?search=zzz`, ...manage },
      'sorted search': { path: `/manage/v1/applications/${clientId}/users?search=zzz&sort=newest`, ...manage },
      filter: { path: `/api/v2/app/${clientId}/users?${none}`, ...area },
      stream: {
        path: `/api/v2/app/${clientId}/users?${none}`,
        headers: { ...area.headers, accept: 'application/x-ndjson' },
      },
      export: { path: `/manage/v1/applications/${clientId}/users/export?${none}`, ...manage },
      count: { path: `/api/v2/app/${clientId}/users?${none}&count=true&limit=1`, ...area },
    };
  });
  afterAll(() => server.close());

  test.each(['search by part', 'sorted search', 'filter', 'stream', 'export', 'count'])(
    'stops reading: %s',
    async (name) => {
      const { path, headers } = requests[name] as (typeof requests)[string];
      const { users } = server.service.storage;
      const { names, walk } = users;
      let [reads, onRead] = [0, async () => {}];
      const counted = <Read extends (...args: never[]) => Promise<unknown>>(read: Read) =>
        (async (...args: Parameters<Read>) => {
          reads++;
          await onRead();
          return read(...args);
        }) as Read;
      Object.assign(users, { names: counted(names), walk: counted(walk) });
      try {
        expect((await server.send('GET', path, { headers })).status).toBe(200);
        const all = reads;
        expect(all).toBeGreaterThan(1);
        reads = 0;
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
        onRead = async () => {
          onRead = async () => {};
          socket.destroy();
          await once(socket, 'close');
          await server.send('GET', '/livez');
        };
        const head = Object.entries({ host: 'x', ...headers }).map(([field, value]) => `${field}: ${value}\r\n`);
        socket.write(`GET ${path} HTTP/1.1\r\n${head.join('')}\r\n`);
        await once(socket, 'close');
        // Once this request has finished, so would the aborted one have.
        await server.send('GET', path, { headers });
        expect(reads).toBe(all + 1);
      } finally {
        Object.assign(users, { names, walk });
      }
    },
  );
});
