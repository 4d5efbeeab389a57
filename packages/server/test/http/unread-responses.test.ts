import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { connectionOf } from '../../src/http/server/connection.ts';
import { type BodyStream, HttpReply } from '../../src/http/server/request-and-reply.ts';
import { Unread } from '../../src/http/server/unread.ts';
import { writeResponse, writeStream } from '../../src/http/server/write-response.ts';
import { sqlite } from '../databases.ts';
import { withCatalog } from './options/example-catalog.ts';
import { startTestServer } from './start.ts';

const undos: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of undos.splice(0).toReversed()) await undo();
});

const MIB = 1024 ** 2;
/** More than the system takes for a client that reads nothing. */
const SIZE = 10 * MIB;
const BODY = 'x'.repeat(SIZE);

/** Responds to `/text` with a text, to `/late` with one after 700 ms, else with a stream. Returns its port. */
async function respondWith(unread: Unread): Promise<number> {
  const stream: () => BodyStream = async function* () {
    for (let at = 0; at < SIZE; at += MIB) yield BODY.slice(at, at + MIB);
  };
  const server = createServer((raw, response) => {
    const exchange = { raw, response, connection: connectionOf(raw.socket), request: undefined as never };
    const respond = () => writeResponse(exchange, new HttpReply().send(BODY), unread);
    if (raw.url === '/text') respond();
    else if (raw.url === '/late') setTimeout(respond, 700);
    else void writeStream(exchange, new HttpReply(), stream(), unread);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  undos.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Sends requests and reads nothing until told to. */
async function ask(port: number, paths: string[], headers = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause();
  undos.push(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`).join(''));
  return socket;
}

/** How much there is to read, and whether the server keeps the connection. */
async function readAll(socket: Socket): Promise<{ bytes: number; isClosed: boolean }> {
  let bytes = 0;
  let isClosed = false;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  socket.once('close', () => {
    isClosed = true;
  });
  socket.resume();
  for (let before = -1; before < bytes && !isClosed; await sleep(200)) before = bytes;
  return { bytes, isClosed };
}

test.each(['/text', '/stream'])('a client that reads nothing of %s is disconnected', async (path) => {
  const port = await respondWith(new Unread({ stalledMs: 300 }));
  const idle = await ask(port, [path]);
  const slow = await ask(port, [path]);
  // Reads a little, again and again, for longer than the limit.
  let bytes = 0;
  slow.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    slow.pause();
    setTimeout(() => slow.resume(), 5);
  });
  slow.resume();
  await expect.poll(() => bytes).toBeGreaterThan(SIZE);
  await sleep(600);
  expect(await readAll(idle)).toMatchObject({ isClosed: true });
});

test.each(['/text', '/stream'])('a client that has read all of %s may send the next request later', async (path) => {
  const port = await respondWith(new Unread({ stalledMs: 100 }));
  const socket = await ask(port, [path]);
  await sleep(50);
  expect((await readAll(socket)).bytes).toBeGreaterThan(SIZE);
  await sleep(300);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  expect((await readAll(socket)).bytes).toBeGreaterThan(SIZE);
});

test.each(['/text', '/stream'])('a response that takes long after %s was read is sent', async (path) => {
  const port = await respondWith(new Unread({ stalledMs: 300 }));
  const socket = await ask(port, [path, '/late']);
  await sleep(50);
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  socket.resume();
  await sleep(1_200);
  expect(bytes).toBeGreaterThan(2 * SIZE);
});

test('of too much that is unread, the oldest is dropped', async () => {
  const port = await respondWith(new Unread({ maxBytes: 2.5 * SIZE }));
  const [first, second, third] = [await ask(port, ['/text']), await ask(port, ['/text']), await ask(port, ['/text'])];
  await sleep(200);
  expect(await readAll(first as Socket)).toMatchObject({ isClosed: true });
  for (const socket of [second, third]) expect((await readAll(socket as Socket)).bytes).toBeGreaterThan(SIZE);
  // What was read no longer counts.
  const fourth = await ask(port, ['/text']);
  const fifth = await ask(port, ['/text']);
  for (const socket of [fourth, fifth]) expect((await readAll(socket)).bytes).toBeGreaterThan(SIZE);
});

test('clients that read nothing take a limited amount of memory, and others are served', async () => {
  const server = await startTestServer(await sqlite.fresh());
  undos.push(() => server.close());
  const tags = ['en', 'de', 'fr', 'es'];
  const textsOf = (value: string) => Object.fromEntries(tags.map((tag) => [tag, `${value} ${'x'.repeat(900)}`]));
  const { application } = await withCatalog(server, {
    languages: tags.map((tag) => ({ name: `Language ${tag}`, tag })),
    groups: [
      {
        name: 'large',
        keys: Array.from({ length: 10 }, (_, key) => ({
          name: `key-${key}`,
          type: 'string' as const,
          values: Array.from({ length: 100 }, (_, value) => ({
            value: `v${value}`,
            translations: textsOf(`v${value}`),
          })),
        })),
      },
    ],
  });
  const port = Number(new URL(server.url).port);
  const apiKey = `apiKey: ${application.clientId}\r\n`;
  const clients: Socket[] = [];
  // Each response has 1.4 MB.
  for (let at = 0; at < 20; at++) clients.push(await ask(port, Array<string>(10).fill('/api/option_keys'), apiKey));
  // All have been served.
  for (const client of clients) await once(client, 'readable');
  expect(await readAll(clients[0] as Socket)).toMatchObject({ isClosed: true });
  expect((await readAll(clients.at(-1) as Socket)).bytes).toBeGreaterThan(12 * MIB);
});
