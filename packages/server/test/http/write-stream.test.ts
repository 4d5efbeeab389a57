import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { connectionOf } from '../../src/http/server/connection.ts';
import { HttpReply } from '../../src/http/server/request-and-reply.ts';
import { writeStream } from '../../src/http/server/write-response.ts';

let close: () => void;
afterEach(() => close());

/** A server that streams, and a client that has sent its request. */
async function stream(body: () => AsyncGenerator<string>) {
  const done = Promise.withResolvers<'ended' | Error>();
  const server = createServer((raw: IncomingMessage, response: ServerResponse) => {
    const exchange = { raw, response, connection: connectionOf(raw.socket), request: undefined as never };
    writeStream(exchange, new HttpReply().type('text/plain'), body()).then(() => done.resolve('ended'), done.resolve);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => server.close();
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  return { socket, done: done.promise };
}

test('waits for the client, and ends with it', async () => {
  let made = 0;
  let isReturned = false;
  // Endless and never waiting by itself: only backpressure from the client stops it.
  const { socket, done } = await stream(async function* () {
    try {
      for (;;) {
        made++;
        yield 'x'.repeat(64 * 1024);
      }
    } finally {
      isReturned = true;
    }
  });
  socket.once('data', () => socket.destroy());
  expect(await done).toBe('ended');
  expect({ isReturned, isBounded: made < 1_000 }).toEqual({ isReturned: true, isBounded: true });
});

test('closes the connection on failure: the response is incomplete', async () => {
  const { socket, done } = await stream(async function* () {
    yield 'one';
    throw new Error('the database is gone');
  });
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  expect(await done).toMatchObject({ message: 'the database is gone' });
  await new Promise((resolve) => socket.once('close', resolve));
  expect(text).not.toContain('\r\n0\r\n');
});
