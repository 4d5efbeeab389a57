import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(await (databases[0] as (typeof databases)[0]).fresh());
});
afterAll(() => server.close());

test('/catalog.schema.json is the published schema of the catalog file, for any origin', async () => {
  const response = await fetch(`${server.url}/catalog.schema.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('application/schema+json');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  const committed = new URL('../../../../docs/catalog.schema.json', import.meta.url);
  expect(await response.json()).toEqual(JSON.parse(await readFile(committed, 'utf8')));
});
