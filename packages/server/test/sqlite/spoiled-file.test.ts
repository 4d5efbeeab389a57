import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databases } from '../databases.ts';
import { makeSignedInUser, startTestServer, type TestServer } from '../http/start.ts';

const [sqlite] = databases as [(typeof databases)[0]];
const PAGE = 4096;
let server: TestServer;
let path: string;
beforeAll(async () => {
  const url = await sqlite.fresh();
  path = url.slice('sqlite:'.length);
  server = await startTestServer(url);
});
afterAll(() => server.close());

/** Every page but the first is no page any more: a disk that returns what was never written. */
function spoil(): void {
  const file = openSync(path, 'r+');
  const { size } = fstatSync(file);
  for (let at = PAGE; at < size; at += PAGE) writeSync(file, Buffer.alloc(PAGE, 0xff), 0, PAGE, at);
  closeSync(file);
}

it('answers 9503 to reads of a file that cannot be read, and /readyz tells', async () => {
  const application = await server.application();
  const user = await makeSignedInUser(server, application);
  // All that was written goes into the file, and nothing of it is cached.
  await server.close();
  server = await startTestServer(`sqlite:${path}`);
  expect((await server.send('GET', '/readyz')).status).toBe(200);
  spoil();
  const read = await server.send('GET', '/api/user_options', {
    headers: { apiKey: application.clientId, authorization: `Bearer ${user.accessToken}` },
  });
  expect([read.status, read.json.code, read.headers.get('retry-after')]).toEqual([503, '9503', '1']);
  expect((await server.send('GET', '/readyz')).status).toBe(503);
  expect((await server.send('GET', '/livez')).status).toBe(200);
});
