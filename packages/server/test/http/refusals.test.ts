import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../databases.ts';
import { makeUser, startTestServer, type TestServer } from './start.ts';

describe.concurrent.each(databases)('errors outside of requests on $kind', (database) => {
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    url = await database.fresh();
    server = await startTestServer(url);
  });
  afterAll(() => server.close());

  test('metrics through a proxy, without the token, are 9401', async ({ expect }) => {
    const answer = await server.send('GET', '/metrics', { headers: { 'x-forwarded-for': '192.0.2.1' } });
    expect(answer).toMatchObject({ status: 401, json: { code: '9401' } });
  });

  test('clients that accept problem details get them, beside the fields that all errors have', async ({ expect }) => {
    const { clientId } = await server.application();
    for (const [method, path, code, status, more] of [
      ['GET', '/api/option_groups', '1001', 401, {}],
      ['GET', '/nothing', '9404', 404, {}],
      ['POST', '/api/v2/app/create-user', '0021', 400, {}],
      ['POST', '/oauth/v2/introspect', '0011', 401, { error: 'invalid_client' }],
      ['GET', '/api/option_keys?limit=-1', '1009', 400, { detail: 'limit must be a whole number, 0 or more.' }],
    ] as const) {
      const headers = {
        accept: 'application/json;q=0.9, application/problem+json',
        ...(path.includes('?') && { apikey: clientId }),
      };
      const answer = await server.send(method, path, { headers });
      expect(answer.headers.get('content-type'), path).toBe('application/problem+json; charset=utf-8');
      const problem = JSON.parse(answer.text);
      expect(problem, path).toMatchObject({ type: `${server.url}/guide/errors#${code}`, status, code, ...more });
      expect(problem.detail, path).toBe(problem.message);
      expect(problem.title, path).toBeTypeOf('string');
    }
    for (const accept of [
      'application/problem+json;q=0, */*',
      'application/json, application/problem+json',
      'application/problem+json;q=0.5, application/*',
      'application/json, application/problem+json;q=0.9',
    ]) {
      const refused = await server.send('GET', '/nothing', { headers: { accept } });
      expect(refused.json, accept).toEqual({ code: '9404', message: 'Unknown path.' });
    }
  });

  // The tables of a cluster cannot be locked from here.
  test.skipIf(database.isDistributed)(
    'a database that times out is 9503 with Retry-After, and recovers',
    async ({ expect }) => {
      const application = await server.application();
      const { clientId, clientSecret } = application;
      const user = { clientId, clientSecret, clientUserId: 'late', clientUserName: 'Late' };
      const release = await holdWrites(url);
      const refused = await server.post('/api/v2/app/create-user', user);
      await release();
      expect(refused).toMatchObject({ status: 503, json: { code: '9503' } });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await makeUser(server, application)).specialToken).toBeTruthy();
    },
  );
});

/** Imitates another program with a slow write transaction. */
async function holdWrites(url: string): Promise<() => Promise<void>> {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length), { timeout: 5000 });
    database.exec('begin immediate');
    return async () => database.close();
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query('lock table profiles in exclusive mode');
  return () => client.end();
}
