import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlite } from '../databases.ts';
import { startTestServer, type TestServer } from './start.ts';

const MIB = 1024 ** 2;

/** They are discarded before the database is used. */
describe('unread bodies', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await sqlite.fresh());
  });
  afterAll(() => server.close());

  const open = (): Socket =>
    connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', allowHalfOpen: true });
  const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.resume().once('close', resolve));

  /** Like many clients: first writes everything, then reads. */
  async function writeThenRead(head: string, body: Buffer): Promise<string> {
    const socket = open();
    await once(socket, 'connect');
    const broken = once(socket, 'error').then(([error]) => Promise.reject(error as Error));
    const whole = (async () => {
      // In parts that each wait for the previous one, like a blocking socket.
      socket.write(head);
      for (let at = 0; at < body.length; at += MIB / 4) {
        const piece = body.subarray(at, at + MIB / 4);
        await new Promise<void>((resolve, reject) => {
          socket.write(piece, (error) => (error ? reject(error) : resolve()));
        });
      }
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (Buffer.concat(chunks).includes('"}')) socket.end();
      });
      await once(socket, 'close');
      return Buffer.concat(chunks).toString();
    })();
    return Promise.race([whole, broken]);
  }

  const chunked = (size: number): Buffer =>
    Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), Buffer.alloc(size, ' '), Buffer.from('\r\n0\r\n\r\n')]);

  test.each([
    ['POST /api/v2/app/create-user', 413, '9413'],
    ['POST /api/user_options', 413, '9413'],
    ['PUT /manage/v1/applications/1_x/catalog', 401, '9401'],
    ['POST /nope', 404, '9404'],
    ['PUT /oauth/v2/get-access-token', 400, '0010'],
    ['FOO /oauth/v2/get-access-token', 400, '0010'],
  ])('%s with 20 MiB, fully written before anything is read, gets %i', async (line, status, code) => {
    const head = `${line} HTTP/1.1\r\nHost: x\r\n`;
    const sized = `${head}Connection: close\r\nContent-Length: ${20 * MIB}\r\n\r\n`;
    for (const answer of [
      await writeThenRead(sized, Buffer.alloc(20 * MIB, ' ')),
      await writeThenRead(`${head}Transfer-Encoding: chunked\r\n\r\n`, chunked(20 * MIB)),
    ]) {
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*"code":"${code}"`));
    }
  });

  test.each([
    ['POST /api/v2/app/create-user', 400, '9400'],
    ['POST /nope', 404, '9404'],
    ['GET /openapi.json', 200, 'openapi'],
  ])('%s in chunks of one byte is cut off after a few thousand', async (line, status, text) => {
    const socket = open();
    await once(socket, 'connect');
    let answer = '';
    socket
      .on('error', () => {})
      .on('data', (some) => {
        answer += some;
      });
    socket.write(`${line} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
    // The end never comes: the server disconnects first.
    const crumbs = '1\r\nx\r\n'.repeat(2_000);
    let sent = 0;
    const sending = setInterval(() => {
      sent += 2_000;
      socket.write(crumbs);
    }, 1);
    await closed(socket);
    clearInterval(sending);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*${text}`));
    expect(sent).toBeLessThan(50_000);
  });

  test('small chunks are accepted, if there are few or they have 16 bytes', async () => {
    for (const [size, count] of [
      [1, 900],
      [16, 3_000],
    ] as const) {
      const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
      const answer = await writeThenRead(
        'POST /api/v2/app/create-user HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
        Buffer.from(`${chunk.repeat(count)}2\r\n{}\r\n0\r\n\r\n`),
      );
      expect(answer).toContain('"code":"0004"');
    }
  });

  test('a head that is far too long gets 431', async () => {
    const answer = await writeThenRead('GET /livez HTTP/1.1\r\nX: ', Buffer.alloc(4 * MIB, 'x'));
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
  });

  test('a connection whose body was rejected unread serves the next request', async () => {
    const socket = open();
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
    });
    socket.write('POST /nope HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n{');
    while (!answer.includes('"}')) await once(socket, 'data');
    socket.write('  }GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await once(socket, 'end');
    socket.destroy();
    expect(answer).toMatch(/^HTTP\/1.1 404 [\s\S]*HTTP\/1.1 200 /);
  });

  test.each(['POST /api/v2/app/create-user', 'POST /nope'])('%s without end is disconnected', async (line) => {
    const socket = open();
    socket.on('error', () => {});
    socket.write(`${line} HTTP/1.1\r\nHost: x\r\nContent-Length: ${1024 ** 4}\r\n\r\n`);
    const piece = Buffer.alloc(MIB);
    let sent = 0;
    const pump = (): void => {
      socket.write(piece, (error) => {
        if (error) return;
        sent += MIB;
        pump();
      });
    };
    pump();
    await closed(socket);
    expect(sent).toBeLessThan(90 * MIB);
  });

  test('a client that trickles after the response is disconnected', async () => {
    const socket = open();
    socket.on('error', () => {});
    socket.write('POST /api/v2/app/create-user HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n');
    const timer = setInterval(() => socket.write(' '), 100);
    const started = performance.now();
    await closed(socket);
    clearInterval(timer);
    expect(performance.now() - started).toBeGreaterThan(3_000);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
