import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotateSecret } from '../../src/domain/applications/application.ts';
import { importUsers } from '../../src/domain/users/import-users.ts';
import { databases } from '../databases.ts';
import { basic, startTestServer, type TestServer } from './start.ts';

/** With the longest names, far more than the buffers between service and client take. */
const USERS = 20_000;

describe.each(databases)('a stream of users on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  test('breaks off when its secret is revoked, however slowly it is read', async () => {
    const { service } = server;
    const application = await server.application();
    const { appId, clientId } = application;
    const lines = async function* () {
      yield Array.from({ length: USERS }, (_, index) => {
        const user = { clientUserId: `${index}`.padStart(200, '0'), clientUserName: 'ő'.repeat(255) };
        return { line: index + 1, text: JSON.stringify(user) };
      });
    };
    await importUsers(service.storage, appId, lines(), {
      ...{ at: Date.now(), newCodes: false, withRetired: false, ifThere: 'keep', withoutEvents: true },
      onRejected: (rejection) => expect.unreachable(JSON.stringify(rejection)),
    });
    const headers = { ...basic(application), accept: 'application/x-ndjson' };
    const request = get(`${server.url}/api/v2/app/${clientId}/users`, { headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const { storage, keyring, now } = service;
    await rotateSecret({ storage, keyring }, appId, { overlap: 0 }, now());
    await service.refresh();
    let text = '';
    response.setEncoding('utf8');
    await expect(
      (async () => {
        for await (const part of response) text += part;
      })(),
    ).rejects.toThrow('aborted');
    expect(text.split('\n').length).toBeLessThan(USERS);
  });
});
