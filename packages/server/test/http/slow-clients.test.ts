import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databases } from '../databases.ts';
import { makeSignedInUser, startTestServer, type TestServer } from './start.ts';

const [sqlite] = databases as [(typeof databases)[0]];
let server: TestServer;
const sockets = new Set<Socket>();
beforeAll(async () => {
  server = await startTestServer(await sqlite.fresh());
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close();
});

async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  sockets.add(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Sends `rest` byte by byte, or nothing, until the server disconnects; returns its response and how long that took. */
async function trickle(head: string, rest = ''): Promise<{ answer: string; ms: number }> {
  const socket = await open();
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  const started = performance.now();
  socket.write(head);
  let at = 0;
  const timer = setInterval(() => {
    if (rest !== '') socket.write(rest.charAt(at++ % rest.length));
  }, 100);
  socket.on('end', () => clearInterval(timer)); // after a response, a polite client stops
  await once(socket, 'close');
  clearInterval(timer);
  return { answer, ms: performance.now() - started };
}

it('disconnects clients that send a byte at a time, or stop, after about ten seconds, and no others', async () => {
  const idle = await Promise.all(Array.from({ length: 200 }, open));
  const trickling = [
    trickle('GET /livez HTTP/1.1\r\nHost: localhost\r\n', 'X-Slow: 1\r\n'),
    trickle('POST /api/v2/app/create-user HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{"a":"', 'x'),
    trickle(
      'POST /api/v2/app/create-user HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\nx\r\n',
    ),
    trickle('POST /api/v2/app/create-user HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{"clientId":'),
  ];
  // Meanwhile, others are served as usual.
  const application = await server.application();
  let cut = false;
  let served = 0;
  const serving = (async () => {
    while (!cut) {
      await makeSignedInUser(server, application);
      if (!cut) served++;
      await sleep(100);
    }
  })();
  const ends = await Promise.all(trickling);
  cut = true;
  for (const { answer, ms } of ends) {
    expect(ms).toBeGreaterThan(8_000);
    expect(ms).toBeLessThan(25_000);
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toEqual({
      code: '9408',
      message: expect.any(String),
    });
  }
  await serving;
  expect(served).toBeGreaterThan(0);
  // Clients that have not sent anything get the same response and are disconnected.
  for (const socket of idle) if (!socket.resume().closed) await once(socket, 'close');
});
