import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
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
