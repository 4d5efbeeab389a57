import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { sqlite } from '../databases.ts';
import { startTestServer } from '../http/start.ts';
import { editor } from './manage.ts';

const UPLOAD = Buffer.alloc(31 * 1024 ** 2, ' ');

test('large bodies together take a limited amount of memory; more are refused, small ones are not', async () => {
  const server = await startTestServer(await sqlite.fresh());
  try {
    const { send, manage, application } = await editor(server);
    const uploads: ClientRequest[] = [];
    const begin = () => {
      const upload = request(`${server.url}/manage/v1/applications/${application.clientId}/catalog/plan`, {
        method: 'POST',
        headers: { authorization: `Bearer ${manage.token}`, 'content-length': UPLOAD.length },
      });
      uploads.push(upload);
      // The client's side of a connection that the service closes.
      upload.on('error', () => {});
      return upload;
    };
    const respond = async (upload: ClientRequest) => {
      const [{ statusCode, headers }] = await once(upload, 'response');
      return [statusCode, headers['retry-after']];
    };
    // All but the last byte of three.
    await Promise.all(
      [begin(), begin(), begin()].map((upload) => new Promise((written) => upload.write(UPLOAD.subarray(1), written))),
    );
    const refused = async () => {
      const upload = begin();
      upload.end(UPLOAD);
      return respond(upload);
    };
    // Written is not yet read.
    await vi.waitFor(async () => expect(await refused()).toEqual([503, '1']), 5_000);
    expect((await send('PATCH', '', { name: 'Renamed' })).status).toBe(200);
    for (const upload of uploads) upload.destroy();
    // It is only spaces.
    await vi.waitFor(async () => expect(await refused()).toEqual([400, undefined]), 5_000);
  } finally {
    await server.close();
  }
});

test('so do other bodies: thousands of clients that send only a part cannot fill the memory', async () => {
  const server = await startTestServer(await sqlite.fresh());
  const sockets: Socket[] = [];
  try {
    const part = Buffer.alloc(63 * 1024, ' ');
    const head = 'POST /api/v2/app/create-user HTTP/1.1\r\nHost: x\r\nContent-Length: 65536\r\n\r\n';
    const post = (size: number) => server.post('/api/v2/app/create-user', { clientId: 'x'.repeat(size) });
    await vi.waitFor(async () => {
      const more = Array.from({ length: 200 }, async () => {
        const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
        sockets.push(socket);
        socket.on('error', () => {});
        await new Promise<void>((written) => socket.write(head, () => socket.write(part, () => written())));
      });
      await Promise.all(more);
      expect(await post(10_000)).toMatchObject({ status: 503, json: { code: '9503' } });
    }, 60_000);
    expect(sockets.length).toBeGreaterThan(1_000);
    expect(await post(2_000)).toMatchObject({ status: 400, json: { code: '0004' } });
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => expect((await post(10_000)).status).toBe(400), 5_000);
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.close();
  }
});
