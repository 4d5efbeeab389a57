import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { CatalogCache } from '../../src/http/options/catalog-cache.ts';
import { BODY_LIMIT } from '../../src/http/server/body.ts';
import { WireText } from '../../src/http/server/request-and-reply.ts';
import { databases } from '../databases.ts';
import { manageWith } from '../manage/manage.ts';
import { EXAMPLE, withCatalog } from './options/example-catalog.ts';
import { countOf, type Line, pipeline, rawRequest } from './pipeline.ts';
import { SECRET, startTestServer, type TestServer } from './start.ts';

describe.each(databases)('the front door on $kind', (database) => {
  let server: TestServer;
  const lines: Line[] = [];
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(async () => {
    for (const { socket } of lines) socket.destroy();
    await server.close();
  });

  async function answerTo(request: string): Promise<string> {
    const line = await pipeline(server.url, [request]);
    lines.push(line);
    await expect.poll(() => line.socket.closed).toBe(true);
    return line.text;
  }

  async function cacheBytes(): Promise<number> {
    const { text } = await server.send('GET', '/metrics');
    return Number(/^innkeeper_cache_bytes (\d+)$/m.exec(text)?.[1]);
  }

  test('two Host headers are 9400, even if they agree', async () => {
    for (const second of ['localhost', 'elsewhere']) {
      const answer = await answerTo(rawRequest('/livez', '', `hOST: ${second}\r\nConnection: close\r\n`));
      expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":"9400"/);
    }
  });

  test.each([
    ['HTTP/1.0', 'chunked'],
    ['HTTP/1.1', 'gzip, chunked'],
  ])('%s with Transfer-Encoding: %s is 9400, and nothing after it is read', async (version, encoding) => {
    const head = `POST /api/v2/app/create-user ${version}\r\nHost: localhost\r\nConnection: keep-alive\r\n`;
    const answer = await answerTo(`${head}Transfer-Encoding: ${encoding}\r\n\r\n0\r\n\r\n${rawRequest('/livez')}`);
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":"9400"/);
    expect(countOf(answer, 'HTTP/1.1')).toBe(1);
  });

  test.each([
    ['an invalid chunk', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['an unsupported transfer encoding', 'Transfer-Encoding: gzip\r\n\r\n{}'],
  ])('a response sent before %s arrives still reaches the client', async (_, rest) => {
    for (const [line, status] of [
      ['POST /livez', 405],
      ['POST /nope', 404],
      ['GET /livez', 200],
    ] as const) {
      const answer = await answerTo(`${line} HTTP/1.1\r\nHost: localhost\r\n${rest}`);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 (${status}|400) `));
      expect(countOf(answer, 'HTTP/1.1')).toBe(1);
    }
  });

  test.each(['http://', 'http:///livez', 'http://localhost:99999/livez'])('the target %s is 9400', async (target) => {
    const answer = await answerTo(rawRequest(target, '', 'Connection: close\r\n'));
    expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*"code":"9400"/);
  });

  test('413 closes the connection, so that the client stops sending', async () => {
    for (const framing of [
      `Content-Length: ${BODY_LIMIT + 1}\r\n\r\n`,
      `Transfer-Encoding: chunked\r\n\r\n10001\r\n`,
    ]) {
      const head = `POST /api/v2/app/create-user HTTP/1.1\r\nHost: localhost\r\n${framing}`;
      const answer = await answerTo(`${head}${' '.repeat(BODY_LIMIT + 1)}\r\n0\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 413 /);
      expect(answer).toMatch(/^connection: close\r$/im);
    }
  });

  test('HEAD has the headers of GET, including the length, and no body', async () => {
    const get = await server.send('GET', '/openapi.json', { headers: { 'accept-encoding': 'identity' } });
    const head = await server.send('HEAD', '/openapi.json', { headers: { 'accept-encoding': 'identity' } });
    expect([head.status, head.text]).toEqual([200, '']);
    for (const name of ['content-length', 'content-type', 'etag', 'cache-control']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    }
  });

  test('unknown languages use the cached responses', async () => {
    const { apiKey } = await withCatalog(server, EXAMPLE);
    const read = (language: string) =>
      server.send('GET', '/api/option_keys', { headers: { ...apiKey, 'accept-language': language } });
    const first = await read('xx');
    const before = await cacheBytes();
    expect(before).toBeGreaterThan(first.text.length);
    for (let index = 0; index < 50; index++) {
      const { status, headers } = await read(`xx-${'a'.repeat(8)}${index}`);
      expect([status, headers.get('etag')]).toEqual([200, first.headers.get('etag')]);
    }
    expect(await cacheBytes()).toBe(before);
  });

  test('a deleted application leaves neither its catalog nor its responses in memory', async () => {
    // Otherwise, changes published by earlier tests would evict entries meanwhile.
    await server.service.refresh();
    const before = await cacheBytes();
    const { application, apiKey } = await withCatalog(server, EXAMPLE);
    const { clientId, appId } = application;
    expect((await server.send('GET', '/api/option_groups', { headers: apiKey })).status).toBe(200);
    expect(server.service.catalogs.peek(appId)).toBeDefined();
    expect(await cacheBytes()).toBeGreaterThan(before);
    const manage = await manageWith(server);
    const deleted = await manage.send('DELETE', `/applications/${clientId}?confirm=${clientId}`);
    expect(deleted.status).toBe(204);
    await expect.poll(() => server.service.catalogs.peek(appId)).toBeUndefined();
    expect(await cacheBytes()).toBe(before);
  });
});

test('concurrent requests wait for one response to be built', async () => {
  const cache = new CatalogCache(10_000);
  const answer = { body: new WireText('x'), etag: '""', page: undefined };
  let made = 0;
  const ask = () =>
    cache.make('read', 1, async () => {
      made++;
      return answer;
    });
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([answer, answer, answer]);
  expect([made, cache.get('read')]).toEqual([1, answer]);
  await expect(cache.make('broken', 1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await cache.make('broken', 1, async () => answer)).toBe(answer);
});

test('the cache evicts the least recently used entry of all applications, and stays within its limit', () => {
  const cache = new CatalogCache(10_000);
  const answer = { body: new WireText('x'.repeat(1_000)), etag: '""', page: undefined };
  for (let index = 0; index < 100; index++) {
    void cache.make(`read ${index}`, index % 10, () => answer);
    expect(cache.get('read 0')).toBe(answer);
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
  }
  expect(cache.get('read 1')).toBeUndefined();
  expect(cache.get('read 99')).toBe(answer);
  cache.forget(9);
  expect(cache.get('read 99')).toBeUndefined();
  void cache.make('too large', 1, () => ({ ...answer, body: new WireText('x'.repeat(10_001)) }));
  expect(cache.get('too large')).toBeUndefined();
  expect(cache.get('read 0')).toBe(answer);
  cache.clear();
  expect(cache.bytes).toBe(0);
});

test.each([
  ['64 MiB', 64 * 1024 ** 2],
  ['0 KiB', 0],
  ['2GiB', 2 * 1024 ** 3],
  ['64', undefined],
  ['64 MB', undefined],
])('INNKEEPER_CACHE=%s', (cache, bytes) => {
  const read = () => readConfig({ databaseUrl: 'postgres://x/y', secret: SECRET, cache }, { env: {} }).cacheBytes;
  if (bytes === undefined) expect(read).toThrow(/INNKEEPER_CACHE is .*64 MiB/);
  else expect(read()).toBe(bytes);
});
