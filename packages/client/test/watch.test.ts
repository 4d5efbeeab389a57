import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { databases } from '../../server/test/databases.ts';
import { withCatalog } from '../../server/test/http/options/example-catalog.ts';
import { startTestServer, type TestServer, uniqueName } from '../../server/test/http/start.ts';
import { createOptionsClient, type WatchEvent } from '../src/index.ts';
import { createUsersClient } from '../src/users.ts';
import type { Catalog } from './example-catalog.ts';

let server: TestServer;
let shop: Awaited<ReturnType<typeof withCatalog>>;
beforeAll(async () => {
  server = await startTestServer((await databases[0]?.fresh()) as string);
  shop = await withCatalog(server);
});
afterAll(() => server.close());

/** A page that watches, and another device of the same user. */
async function watchingPage() {
  const connection = { baseUrl: server.url, apiKey: shop.application.clientId };
  const users = createUsersClient<Catalog>({ baseUrl: server.url, ...shop.application });
  const granted = await users.signIn({ clientUserId: uniqueName(), clientUserName: 'Ada' });
  const other = createOptionsClient<Catalog>({ ...connection, accessToken: granted.access_token });
  const streams: AbortController[] = [];
  const page = createOptionsClient<Catalog>({
    ...connection,
    accessToken: granted.access_token,
    fetch(url, init) {
      const stream = new AbortController();
      streams.push(stream);
      return fetch(url, { ...init, signal: AbortSignal.any([stream.signal, init?.signal as AbortSignal]) });
    },
  });
  const seen: WatchEvent[] = [];
  const stop = page.watch((event) => seen.push(event));
  await expect.poll(() => seen).toMatchObject([{ name: 'reset' }]);
  return { users, other, seen, streams, stop, granted };
}

test('a page sees changes from another device, and resumes where it was after a lost connection', async () => {
  const { other, seen, streams, stop } = await watchingPage();
  await other.save('open.motto', 'a');
  await expect
    .poll(() => seen.at(-1))
    .toMatchObject({ name: 'selection', data: { type: 'selection.saved', value: 'a' } });

  streams.at(-1)?.abort();
  await other.save('open.motto', 'b');
  const saved = await other.save('open.motto', 'c');
  await expect.poll(() => seen.at(-1)).toMatchObject({ name: 'selection', data: { value: 'c' } });
  await other.unset(saved.user_options_uid);
  await expect.poll(() => seen.at(-1)).toMatchObject({ data: { type: 'selection.unset' } });
  // Each event once, in order, and no second "reset": nothing was missed.
  expect(seen.map(({ name, data }) => [name, 'value' in data ? data.value : undefined])).toEqual([
    ['reset', undefined],
    ['selection', 'a'],
    ['selection', 'b'],
    ['selection', 'c'],
    ['selection', null],
  ]);
  expect(streams).toHaveLength(2);

  stop();
  await other.save('open.motto', 'd');
  expect(seen).toHaveLength(5);
});

test('it ends when its token becomes invalid, and by a signal', async () => {
  const { users, seen, streams, granted } = await watchingPage();
  await users.revoke(granted.access_token);
  streams.at(-1)?.abort();
  await expect.poll(() => streams).toHaveLength(2);
  const control = new AbortController();
  const again = await users.signIn({ clientUserId: uniqueName(), clientUserName: 'Eve' });
  const options = createOptionsClient({
    baseUrl: server.url,
    apiKey: shop.application.clientId,
    accessToken: again.access_token,
  });
  options.watch((event) => seen.push(event), { signal: control.signal });
  await expect.poll(() => seen).toHaveLength(2);
  control.abort();
  await users.optionsOf(again.service_user_code).save('open.motto', 'e');
  expect(seen).toHaveLength(2);
  // The first stream has not reconnected meanwhile.
  expect(streams).toHaveLength(2);
});

test.each([
  ['a fixed token ends', 'expired', false],
  ['a function that may get another token continues', () => 'expired', true],
] as const)('after a rejected token, the stream with %s', async (_, accessToken, continues) => {
  const refuse = vi.fn(async () => Response.json({ code: '1007', message: 'expired' }, { status: 401 }));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const page = createOptionsClient({ baseUrl: 'http://127.0.0.1', apiKey: 'any', accessToken, fetch: refuse });
    const stop = page.watch(() => {});
    await vi.advanceTimersByTimeAsync(120_000);
    stop();
    // With a function, each attempt makes two requests.
    expect(refuse.mock.calls.length > 2).toBe(continues);
  } finally {
    vi.useRealTimers();
  }
});
