import { afterAll, beforeAll, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';

let server: TestServer;
beforeAll(async () => {
  // With any setting of `serve`: errors and the explorer link to the guide.
  server = await startTestServer((await databases[0]?.fresh()) as string, { serve: 'users' });
});
afterAll(() => server.close());

test('/guide has no inline or third-party content, and its files are cached forever', async () => {
  const bare = await server.send('GET', '/guide');
  expect([bare.status, bare.headers.get('location')]).toEqual([308, 'guide/']);
  const page = await server.send('GET', '/guide/');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|\*|http|data:/);
  const assets = [...page.text.matchAll(/"\.\/(assets\/[^"]+)"/g)].map(([, path]) => `/guide/${path}`);
  expect(assets.length).toBe(3);
  for (const path of assets) {
    const file = await server.send('GET', path);
    expect(file.headers.get('cache-control'), path).toBe('public, max-age=31536000, immutable');
    expect(file.headers.get('content-type'), path).toMatch(/^text\/(css|javascript); charset=utf-8$/);
  }
  const etag = page.headers.get('etag') as string;
  expect((await server.send('GET', '/guide/', { headers: { 'if-none-match': etag } })).status).toBe(304);
});

test('pages are served by name, and as Markdown', async () => {
  for (const [path, type] of [
    ['/guide/errors', 'text/html'],
    ['/guide/api/options', 'text/html'],
    ['/guide/decisions/0001-runtime-as-a-package', 'text/html'],
    ['/guide/quick-start.md', 'text/markdown'],
    ['/guide/images/data-model.svg', 'image/svg+xml'],
    ['/guide/llms-full.txt', 'text/plain'],
  ] as const) {
    const answer = await server.send('GET', path);
    expect([answer.status, answer.headers.get('content-type')?.split(';')[0]], path).toEqual([200, type]);
  }
  for (const path of [
    '/guide/nothing',
    '/guide/api/nothing?a=/b',
    '/guide/..%2Fpackage.json',
    '/guide/made-of.txt',
    '/guide/constructor',
  ]) {
    expect(await server.send('GET', path), path).toMatchObject({ status: 404, json: { code: '9404' } });
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const page = await server.send('GET', path, { headers: { accept } });
    expect([page.status, page.headers.get('content-type')], path).toEqual([404, 'text/html; charset=utf-8']);
    const [, back = ''] = /href="([^"]+)"/.exec(page.text) ?? [];
    expect(new URL(back, `${server.url}${path}`).pathname).toBe('/guide/');
  }
});

test("/llms.txt is the guide's list, relative to the root", async () => {
  const [here, there] = [await server.send('GET', '/llms.txt'), await server.send('GET', '/guide/llms.txt')];
  expect(there.text).toContain('](quick-start.md)');
  expect(here.text).toContain('](guide/quick-start.md)');
  expect(here.text).toContain('](openapi.json)');
});
