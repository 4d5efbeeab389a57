import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { readBody } from '../../src/http/server/body.ts';
import { ClientGone, Connection } from '../../src/http/server/connection.ts';
import { databases } from '../databases.ts';
import { endAll, makeApplication, serve } from '../operations/serve-process.ts';
import { rawRequest } from './pipeline.ts';
import { SECRET, uniqueName } from './start.ts';

const [sqlite] = databases as [(typeof databases)[0]];
const REQUESTS = 400;

afterEach(endAll);

it.each([
  ['behind a trusted proxy', { trustedProxies: '127.0.0.1' }],
  ['without proxies', {}],
])('survives clients that reset their connection right after sending, %s', async (_, settings) => {
  const databaseUrl = await sqlite.fresh();
  const { clientId, clientSecret } = await makeApplication(databaseUrl);
  const server = await serve({ settings: { databaseUrl, secret: SECRET, logLevel: 'warn', ...settings } });
  const create = () =>
    rawRequest(
      '/api/v2/app/create-user',
      JSON.stringify({ clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Ada' }),
      'X-Forwarded-For: 203.0.113.9\r\n',
    );
  const requests = [
    create,
    () => rawRequest('/api/option_groups', '', `apiKey: ${clientId}\r\n`),
    () => rawRequest('/manage/v1/applications', '', 'Authorization: Bearer none\r\n'),
    () => rawRequest('/portal'),
    () => 'GET / HTTP/9.9\r\n\r\n',
    () => 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    () => `${create()}CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n`,
  ];
  for (let batch = 0; batch < REQUESTS; batch += 20) {
    await Promise.all(
      Array.from({ length: 20 }, async (_each, index) => {
        const socket = connect(server.port, '127.0.0.1');
        socket.on('error', () => {});
        await once(socket, 'connect');
        socket.write((requests[(batch + index) % requests.length] as () => string)());
        await sleep(index % 5);
        socket.resetAndDestroy();
      }),
    );
  }
  const exited = await Promise.race([server.exited, sleep(100, 'running')]);
  expect(exited).toBe('running');
  expect((await fetch(`${server.url}/livez`)).status).toBe(200);
  expect(server.stderr()).toBe('');
});

it('notices that a client has left before its body was read', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const server = createServer((raw, response) => {
    const exchange = { connection: new Connection(raw.socket), raw, response };
    raw.once('close', () => resolve(readBody(exchange, 1_000).catch((error: unknown) => error)));
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1234');
  expect(await promise).toBeInstanceOf(ClientGone);
  server.close();
});
