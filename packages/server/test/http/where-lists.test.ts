import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importUsers } from '../../src/domain/users/import-users.ts';
import { databases } from '../databases.ts';
import { withCatalog } from './options/example-catalog.ts';
import { basic, startTestServer, type TestServer } from './start.ts';

const USERS = 1_000;
const KEYS = Array.from({ length: 20 }, (_, at) => ({ name: `k${at}`, type: 'string' as const, multiple: true }));
const LANGUAGES = [{ name: 'English', tag: 'en', default: true }];

describe.each(databases)('where on many keys with many distinct lists on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  test('reads as many lists as for one key, and finds the same users', async () => {
    const { application } = await withCatalog(server, { languages: LANGUAGES, groups: [{ name: 'g', keys: KEYS }] });
    const options = (user: number) => KEYS.map(({ name }) => ({ group: 'g', key: name, value: [`u${user}`, 'all'] }));
    const lines = async function* () {
      for (let from = 0; from < USERS; from += 100) {
        yield Array.from({ length: 100 }, (_, at) => {
          const user = { clientUserId: `user${from + at}`, clientUserName: 'x', options: options(from + at) };
          return { line: from + at + 1, text: JSON.stringify(user) };
        });
      }
    };
    await importUsers(server.service.storage, application.appId, lines(), {
      ...{ at: Date.now(), newCodes: false, withRetired: false, ifThere: 'keep', withoutEvents: true },
      onRejected: (rejection) => expect.unreachable(JSON.stringify(rejection)),
    });
    const { users } = server.service.storage;
    const { listValues } = users;
    let lists = 0;
    users.listValues = async (...[appId, keyNo, atMost]) => {
      lists += atMost;
      return listValues(appId, keyNo, atMost);
    };
    try {
      const where = (value: string) => KEYS.map(({ name }) => `where=g.${name}=${value}`).join('&');
      const path = `/api/v2/app/${application.clientId}/users`;
      const one = await server.send('GET', `${path}?${where('u7')}`, { headers: basic(application) });
      expect(one).toMatchObject({ status: 200, json: { items: [{ clientUserId: 'user7' }], next: null } });
      expect(lists).toBeLessThanOrEqual(1_000);
      const all = await server.send('GET', `${path}?${where('all')}&count=true&limit=1`, {
        headers: basic(application),
      });
      expect(all.json).toMatchObject({ total: USERS });
    } finally {
      users.listValues = listValues;
    }
  });
});
