import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../databases.ts';
import { startTestServer, type TestServer } from '../start.ts';
import { withCatalog } from './example-catalog.ts';

const ORIGIN = 'https://app.example.com';

describe.each(databases)('CORS of the options interface on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  const preflight = (path: string, origin: string) =>
    server.send('OPTIONS', path, { headers: { origin, 'access-control-request-method': 'POST' } });

  test("allows only the application's own origins", async () => {
    const open = await withCatalog(server, undefined, { allowedOrigins: [ORIGIN] });
    const closed = await withCatalog(server);
    await expect
      .poll(async () =>
        (await open.get('/api/option_groups', { origin: ORIGIN })).headers.get('access-control-allow-origin'),
      )
      .toBe(ORIGIN);
    expect(
      (await open.get('/api/option_keys?language=x', { origin: ORIGIN })).headers.get('access-control-allow-origin'),
    ).toBe(ORIGIN);
    for (const origin of ['https://evil.example', 'null', `${ORIGIN}.evil.example`]) {
      expect((await open.get('/api/option_groups', { origin })).headers.get('access-control-allow-origin')).toBeNull();
    }
    expect(
      (await closed.get('/api/option_groups', { origin: ORIGIN })).headers.get('access-control-allow-origin'),
    ).toBeNull();

    for (const path of ['/api/option_groups', '/api/user_options', `/api/user_options/${crypto.randomUUID()}`]) {
      const { status, headers } = await preflight(path, ORIGIN);
      expect(status).toBe(204);
      const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ');
      // A page that reconnects to its stream sends its position.
      expect(allowed).toEqual(expect.arrayContaining(['apikey', 'authorization', 'if-match', 'last-event-id']));
    }
  });

  test('any page may read that its apiKey is missing or unknown, also after a preflight', async () => {
    const origin = 'https://elsewhere.example';
    for (const [headers, code] of [
      [{ origin }, '1001'],
      [{ origin, apiKey: 'mistyped' }, '1002'],
    ] as const) {
      for (const method of ['GET', 'PUT'] as const) {
        const { json, headers: answered } = await server.send(method, '/api/user_options', { headers });
        expect([json.code, answered.get('access-control-allow-origin')]).toEqual([code, '*']);
      }
    }
    const { status, headers } = await preflight('/api/user_options', origin);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  });
});
