import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlite } from '../databases.ts';
import { countOf, type Line, pipeline, rawRequest } from './pipeline.ts';
import { startTestServer, type TestServer } from './start.ts';

/** What the system gives in one read. */
const READ = 64 * 1024;

let server: TestServer;
const accepted: Socket[] = [];
const accept = (message: unknown) => void accepted.push((message as { socket: Socket }).socket);
beforeAll(async () => {
  subscribe('net.server.socket', accept);
  server = await startTestServer(await sqlite.fresh());
});
afterAll(async () => {
  unsubscribe('net.server.socket', accept);
  await server.close();
});

/** The most that the service reads in one turn of the event loop of what these clients send, until it has answered or closed. */
async function mostReadInTurn(text: string, clients: number, isOver: (line: Line) => boolean): Promise<number> {
  const from = accepted.length;
  const lines = await Promise.all(Array.from({ length: clients }, () => pipeline(server.url, [])));
  await expect.poll(() => accepted.length - from).toBe(clients);
  const sockets = accepted.slice(from);
  const total = (): number => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  let [before, most, isDone] = [0, 0, false];
  const look = (): void => {
    const now = total();
    most = Math.max(most, now - before);
    before = now;
    if (!isDone) setImmediate(look);
  };
  look();
  for (const { socket } of lines) socket.write(text);
  try {
    await expect.poll(() => lines.every((line) => line.socket.closed || isOver(line)), { timeout: 30_000 }).toBe(true);
  } finally {
    isDone = true;
    for (const { socket } of lines) socket.destroy();
  }
  return most;
}

const CHUNKED = 'POST /nope HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

test.each([
  ['chunks of one byte', `${CHUNKED}${'1\r\nx\r\n'.repeat(20_000)}`, () => false],
  [
    'chunks of 16 bytes',
    `${CHUNKED}${'10\r\n0123456789abcdef\r\n'.repeat(8_000)}0\r\n\r\n${rawRequest('/livez')}`,
    ({ text }: Line) => text.includes('200 OK'),
  ],
  [
    'pipelined requests',
    `${rawRequest('/livez').repeat(3_000)}${rawRequest('/nope')}`,
    ({ text }: Line) => text.includes('404 Not Found'),
  ],
])('few connections with %s are read in one turn', async (_, text, isOver) => {
  expect(await mostReadInTurn(text, 10, isOver)).toBeLessThanOrEqual(3 * READ);
});

test('connections that pipeline more than can wait are closed, and others are served', async () => {
  const MANY = 1_500;
  // Not refused, however long it waits; and small enough that all are in one read.
  const text = 'GET /api/option_groups HTTP/1.1\r\nHost:\r\n\r\n'.repeat(MANY);
  const lines = await Promise.all(Array.from({ length: 16 }, () => pipeline(server.url, [text])));
  const isServed = (line: Line): boolean => countOf(line.text, 'HTTP/1.1 401 ') === MANY;
  await expect
    .poll(() => lines.every((line) => line.socket.closed || isServed(line)), { timeout: 60_000, interval: 500 })
    .toBe(true);
  const served = lines.filter(isServed).length;
  expect(served).toBeGreaterThan(0);
  expect(served).toBeLessThan(lines.length);
  for (const { socket } of lines) socket.destroy();
  expect((await server.send('GET', '/livez')).status).toBe(200);
}, 90_000);
