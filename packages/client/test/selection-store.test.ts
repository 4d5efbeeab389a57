import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { CatalogFile } from '../../server/src/domain/catalog/file-schema.ts';
import { databases } from '../../server/test/databases.ts';
import { withCatalog } from '../../server/test/http/options/example-catalog.ts';
import { startTestServer, type TestServer, uniqueName } from '../../server/test/http/start.ts';
import { createOptionsClient, createSelectionStore, type OptionsClient } from '../src/index.ts';
import { createUsersClient, type UsersClient } from '../src/users.ts';
import {
  answerHeldUntil,
  answerIsCut,
  answerIsLost,
  answerNeverComes,
  arrivesAfter,
  type FaultProxy,
  gate,
  heldUntil,
  isCatalog,
  isRead,
  isSave,
  neverArrives,
  startFaultProxy,
} from './fault-proxy.ts';

const CATALOG: CatalogFile = {
  languages: [
    { name: 'English', tag: 'en', default: true },
    { name: 'Deutsch', tag: 'de' },
    { name: '日本語', tag: 'ja' },
  ],
  groups: [
    {
      name: 'all',
      keys: [
        { name: 'consent', type: 'boolean' },
        { name: 'channels', type: 'string', multiple: true, default: ['email'], values: ['email', 'sms', 'push'] },
        { name: 'volume', type: 'integer', default: 5, constraint: { min: 0, max: 10 } },
        { name: 'tags', type: 'string', multiple: true },
        { name: 'motto', type: 'string', translations: { Deutsch: 'Leitspruch' } },
      ],
    },
  ],
};

let server: TestServer;
let proxy: FaultProxy;
let shop: Awaited<ReturnType<typeof withCatalog>>;
let users: UsersClient;

beforeAll(async () => {
  server = await startTestServer((await databases[0]?.fresh()) as string);
  proxy = await startFaultProxy(server.url);
  shop = await withCatalog(server, CATALOG);
  users = createUsersClient({ baseUrl: server.url, ...shop.application });
});
afterAll(async () => {
  await proxy?.close();
  await server?.close();
});
beforeEach(() => proxy.reset());

const clientWith = (accessToken: string | (() => string), more = {}): OptionsClient =>
  createOptionsClient({
    baseUrl: proxy.url,
    apiKey: shop.application.clientId,
    accessToken,
    timeout: 5000,
    retries: 0,
    ...more,
  });

/** Opens and loads a page for a new user; `saved` reads what the service has, bypassing the proxy. */
async function openPage(more = {}) {
  const granted = await users.signIn({ clientUserId: uniqueName(), clientUserName: 'Ada' });
  const client = clientWith(granted.access_token, more);
  const store = createSelectionStore(client, { userId: 'ada' });
  await store.refresh();
  const theirs = users.optionsOf(granted.service_user_code);
  const saved = async () =>
    Object.fromEntries((await theirs.selections().all()).map(({ option }) => [option.name, option.value]));
  proxy.reset();
  return { store, client, theirs, saved, granted };
}

test('chosen, default and unset are distinguished, and every key can be unset', async () => {
  const { store, saved } = await openPage();
  expect(store.get('all.consent')).toMatchObject({ value: undefined, source: 'unset', status: 'idle' });
  expect(store.get('all.volume')).toMatchObject({ value: 5, source: 'default' });
  await store.set('all.consent', false);
  await store.set('all.volume', 5);
  expect(store.get('all.consent')).toMatchObject({ value: false, source: 'chosen', status: 'saved' });
  expect(await saved()).toEqual({ consent: false, volume: 5 });
  await Promise.all([store.unset('all.consent'), store.unset('all.volume')]);
  expect(store.get('all.consent')).toMatchObject({ value: undefined, source: 'unset' });
  expect(store.get('all.volume')).toMatchObject({ value: 5, source: 'default' });
  expect(await saved()).toEqual({});

  // Finding 6: a change that changes nothing is not sent, not reported as saved, and does not fail.
  proxy.reset();
  for (const name of ['all.volume', 'all.consent']) {
    expect(await store.unset(name)).toMatchObject({ status: 'idle', error: undefined });
  }
  expect(proxy.saves()).toEqual([]);
  await expect(store.set('all.nothing', 1)).rejects.toMatchObject({ code: 'unknown_key' });
});

test('per key, one save is in flight and one waits; the newest wins', async () => {
  const { store, saved } = await openPage();
  const held = gate();
  const { met } = proxy.plan(isSave, heldUntil(held.opened));
  const first = store.set('all.volume', 1);
  await met;
  const last = [first, ...[2, 3, 4, 4].map((value) => store.set('all.volume', value))];
  expect(store.get('all.volume')).toMatchObject({ value: 4, status: 'saving' });
  expect(store.pending().map(({ name }) => name)).toEqual(['volume']);
  held.open();
  expect((await Promise.all(last)).map(({ status }) => status)).toEqual(Array(5).fill('saved'));
  // Finding 7: repeating the value (Enter, Tab, unmount) does not save again.
  expect(proxy.saves().map(({ body }) => JSON.parse(body).value)).toEqual([[1], [4]]);
  await store.set('all.volume', 4);
  expect(proxy.saves()).toHaveLength(2);
  expect(await saved()).toEqual({ volume: 4 });
  expect(store.pending()).toEqual([]);
});

test('finding 4: a read during a save does not revert what is shown, and the next choice keeps it', async () => {
  const { store, saved } = await openPage();
  const held = gate();
  const { met } = proxy.plan(isSave, heldUntil(held.opened));
  const first = store.set('all.channels', ['email', 'sms']);
  await met;
  await store.refresh();
  expect(store.get('all.channels')).toMatchObject({ value: ['email', 'sms'], status: 'saving' });
  const second = store.set('all.channels', ['email', 'sms', 'push']);
  held.open();
  await Promise.all([first, second]);
  expect(await saved()).toEqual({ channels: ['email', 'sms', 'push'] });
  expect(store.get('all.channels').value).toEqual(['email', 'sms', 'push']);
});

test('a response older than what is known is not shown', async () => {
  const { store } = await openPage();
  const held = gate();
  const { met } = proxy.plan(isRead, answerHeldUntil(held.opened));
  const reading = store.refresh();
  await met;
  await store.set('all.volume', 9);
  const shown: unknown[] = [];
  store.subscribe(() => shown.push(store.get('all.volume').value));
  held.open();
  await reading;
  await store.refresh();
  expect(new Set(shown)).toEqual(new Set([9]));
});

test.each([
  ['a reset after it was saved', answerIsLost],
  ['a truncated response', answerIsCut],
  ['a timeout', answerNeverComes],
] as const)('finding 5: after %s it is read before anything is reported', async (_, fault) => {
  const { store, saved } = await openPage({ timeout: fault === answerNeverComes ? 1500 : 5000 });
  proxy.plan(isSave, fault);
  expect(await store.set('all.volume', 9)).toMatchObject({ value: 9, source: 'chosen', status: 'saved' });
  expect(proxy.seen.map(({ method }) => method)).toEqual(['POST', 'GET']);
  // Returning to the earlier value is a change again.
  await store.set('all.volume', 5);
  expect(await saved()).toEqual({ volume: 5 });
});

test('finding 5: a save with an unknown outcome is read before the next one is sent', async () => {
  const { store, saved } = await openPage();
  proxy.plan(isSave, answerIsLost);
  proxy.plan(isRead, neverArrives);
  const lost = await store.set('all.volume', 9);
  expect(lost).toMatchObject({ value: 5, status: 'failed', failed: { value: 9 }, error: { code: 'unreachable' } });
  expect(store.errors().map(({ key }) => key.name)).toEqual(['volume']);
  proxy.reset();
  // The page shows 5, so a naive comparison would not send anything.
  expect(await store.set('all.volume', 5)).toMatchObject({ value: 5, source: 'chosen', status: 'saved' });
  expect(proxy.seen.map(({ method }) => method)).toEqual(['GET', 'POST']);
  expect(await saved()).toEqual({ volume: 5 });
  expect(store.errors()).toEqual([]);
});

test('finding 5: a late save does not undo a newer one: the first of a key, a later one, or an unset', async () => {
  const { store, saved, theirs } = await openPage();
  for (const change of [
    () => store.set('all.volume', 1),
    () => store.set('all.volume', 2),
    () => store.unset('all.volume'),
  ]) {
    const late = gate();
    proxy.plan(isSave, arrivesAfter(late.opened));
    expect(await change()).toMatchObject({ status: 'failed', error: { code: 'unreachable' } });
    expect(await store.set('all.volume', 3)).toMatchObject({ value: 3, status: 'saved' });
    late.open();
    await proxy.settled();
    expect(await saved()).toEqual({ volume: 3 });
    await store.refresh();
    expect(store.get('all.volume').value).toBe(3);
    await store.set('all.volume', 4);
  }
  // If it arrives before the newer one, that one gets the conflict and is applied on top.
  const late = gate();
  proxy.plan(isSave, arrivesAfter(late.opened));
  await store.set('all.volume', 1);
  late.open();
  await proxy.settled();
  expect(await saved()).toEqual({ volume: 1 });
  expect(await store.set('all.volume', 3)).toMatchObject({ value: 3, status: 'saved' });
  expect(await saved()).toEqual({ volume: 3 });
  const [record] = await theirs.selections().all();
  expect(record?.option.value).toBe(3);
});

test('a save that arrives after the user went back from it is undone, also if nothing had to be sent', async () => {
  const { store, saved } = await openPage();
  const lateSave = async (change: () => Promise<unknown>, back: () => Promise<unknown>) => {
    const late = gate();
    proxy.plan(isSave, arrivesAfter(late.opened));
    expect(await change()).toMatchObject({ status: 'failed', error: { code: 'unreachable' } });
    await back();
    late.open();
    await proxy.settled();
    await store.refresh();
  };
  await lateSave(
    () => store.set('all.consent', true),
    () => store.unset('all.consent'),
  );
  await expect.poll(saved).toEqual({});
  expect(store.get('all.consent')).toMatchObject({ value: undefined, source: 'unset' });

  await store.set('all.motto', 'first');
  await lateSave(
    () => store.set('all.motto', 'late'),
    () => store.set('all.motto', 'first'),
  );
  await expect.poll(saved).toEqual({ motto: 'first' });

  // A late save stays if nobody reverted it.
  await lateSave(
    () => store.set('all.motto', 'late'),
    async () => {},
  );
  expect(await saved()).toEqual({ motto: 'late' });
  expect(store.get('all.motto')).toMatchObject({ value: 'late', error: undefined });
});

test('a first save that arrives after a newer one was saved and unset is undone too', async () => {
  const { store, saved } = await openPage();
  const late = gate();
  proxy.plan(isSave, arrivesAfter(late.opened));
  expect(await store.set('all.motto', 'late')).toMatchObject({ status: 'failed', error: { code: 'unreachable' } });
  expect(await store.set('all.motto', 'newer')).toMatchObject({ status: 'saved' });
  expect(await store.unset('all.motto')).toMatchObject({ status: 'saved', source: 'unset' });
  // There is no record, as when it was sent.
  late.open();
  await proxy.settled();
  expect(await saved()).toEqual({ motto: 'late' });
  await store.refresh();
  await expect.poll(saved).toEqual({});
  await expect.poll(() => store.get('all.motto')).toMatchObject({ source: 'unset', error: undefined });
});

test('a selection made elsewhere stays, even if this page gave it up earlier', async () => {
  const { store, theirs, saved } = await openPage();
  proxy.plan(isSave, neverArrives);
  expect(await store.set('all.motto', 'lost')).toMatchObject({ status: 'failed' });
  await store.unset('all.motto');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 180_000 });
  try {
    await theirs.save('all.motto', 'lost');
    await store.refresh();
    await expect.poll(() => store.get('all.motto')).toMatchObject({ value: 'lost', status: 'idle' });
    await proxy.settled();
    expect(proxy.saves()).toHaveLength(1);
    expect(await saved()).toEqual({ motto: 'lost' });
  } finally {
    vi.useRealTimers();
  }
});

test('finding 6: a failed save can be retried; a rejected one reloads the catalog', async () => {
  const { store, saved } = await openPage();
  proxy.plan(isSave, neverArrives);
  expect(await store.set('all.motto', 'typed')).toMatchObject({
    value: undefined,
    status: 'failed',
    failed: { value: 'typed' },
    error: { code: 'unreachable', isRetryable: true },
  });
  await store.refresh();
  expect(store.get('all.motto').failed).toEqual({ value: 'typed' });
  expect(await store.retry('all.motto')).toMatchObject({ value: 'typed', status: 'saved', failed: undefined });

  proxy.reset();
  const refused = await store.set('all.volume', 11);
  expect(refused).toMatchObject({ value: 5, failed: { value: 11 }, error: { code: '1008', isRetryable: false } });
  await expect.poll(() => proxy.seen.filter(isCatalog).length).toBeGreaterThan(0);
  expect(await saved()).toEqual({ motto: 'typed' });
});

test('finding 7: two pages that change one list both succeed', async () => {
  const { store, client, saved } = await openPage();
  const other = createSelectionStore(client, { userId: 'ada' });
  await other.refresh();
  await Promise.all([store.set('all.channels', ['email', 'sms']), other.set('all.channels', ['email', 'push'])]);
  expect(await saved()).toEqual({ channels: ['email', 'sms', 'push'] });
  await Promise.all([store.refresh(), other.refresh()]);
  await Promise.all([store.set('all.channels', ['sms', 'push']), other.set('all.channels', ['email', 'push'])]);
  expect(await saved()).toEqual({ channels: ['push'] });

  // For a list of free text, the last save wins.
  await store.set('all.tags', ['b', 'a']);
  await other.set('all.tags', ['a', 'b']);
  expect(await saved()).toMatchObject({ tags: ['a', 'b'] });
});

test("findings 1 and 2: another token of the same user continues; another user's token is rejected", async () => {
  const { store, granted, saved } = await openPage();
  await store.set('all.volume', 1);
  await users.revoke(granted.access_token);
  expect(await store.set('all.volume', 2)).toMatchObject({ value: 1, status: 'failed', error: { code: '1007' } });
  const user = await users.get(granted.service_user_code);
  const renewed = await users.signIn({ clientUserId: user.clientUserId, clientUserName: 'Ada' });
  store.setClient(clientWith(renewed.access_token));
  expect(await store.retry('all.volume')).toMatchObject({ value: 2, status: 'saved' });
  await store.set('all.volume', 3);
  expect(store.get('all.volume')).toMatchObject({ value: 3, status: 'saved' });
  expect(await saved()).toEqual({ volume: 3 });

  const other = await users.signIn({ clientUserId: uniqueName(), clientUserName: 'Eve' });
  store.setClient(clientWith(other.access_token));
  expect(await store.set('all.volume', 7)).toMatchObject({ value: 3, error: { code: '1007' } });
  await expect(store.refresh()).rejects.toMatchObject({ code: '1007' });
  expect(await users.optionsOf(other.service_user_code).selections().all()).toEqual([]);
  expect(store.get('all.volume').value).toBe(3);
});

test("it loads for its first subscriber, reports failures, and keeps one language's texts until the next are loaded", async () => {
  const granted = await users.signIn({ clientUserId: uniqueName(), clientUserName: 'Ada' });
  const store = createSelectionStore(clientWith(granted.access_token), { userId: 'ada', language: 'en' });
  expect(store.get('all.motto').status).toBe('loading');
  proxy.plan(isRead, neverArrives);
  store.subscribe(() => {});
  await expect.poll(() => store.catalog().error?.code).toBe('unreachable');
  expect(store.catalog().isLoaded).toBe(false);
  expect(store.get('all.motto')).toMatchObject({ status: 'failed', error: { code: 'unreachable' } });
  expect(store.get('all.motto')).toBe(store.get('all.motto'));
  await store.refresh();
  expect(store.catalog()).toMatchObject({ isLoaded: true, error: undefined });
  expect(store.get('all.motto').status).toBe('idle');
  expect(store.get('all.nothing')).toMatchObject({ key: undefined, status: 'failed', error: { code: 'unknown_key' } });
  const labelOf = () => store.get('all.motto').key?.label;
  expect(labelOf()).toBe('motto');
  proxy.plan(isCatalog, neverArrives);
  store.setLanguage('de');
  await expect.poll(() => store.catalog().error?.code).toBe('unreachable');
  expect(labelOf()).toBe('motto');
  await store.refresh();
  expect(labelOf()).toBe('Leitspruch');

  // Unchanged data keeps its identity, and data from a server is available immediately.
  const before = store.get('all.motto');
  const catalog = store.catalog();
  await store.refresh();
  expect(store.get('all.motto')).toBe(before);
  expect(store.catalog()).toBe(catalog);
  const handed = JSON.parse(JSON.stringify(store.data()));
  const shown = createSelectionStore(clientWith('none'), { userId: 'ada', data: handed });
  expect(shown.get('all.volume')).toMatchObject({ value: 5, source: 'default', status: 'idle' });
});

test('receipts state the language that the page showed, not the one of the browser', async () => {
  const headers = { 'Accept-Language': 'en-GB,en;q=0.9' };
  const { client, theirs, granted } = await openPage({ headers });
  const statedLanguage = async () => {
    const [saved] = await theirs.selections().all();
    const receipt = await theirs.receipt(saved?.user_options_uid as string);
    const claims = JSON.parse(Buffer.from(receipt.split('.')[1] as string, 'base64url').toString());
    return [claims.language_tag, claims.texts.option];
  };
  const store = createSelectionStore(client, { userId: 'ada', language: 'de' });
  await store.set('all.motto', 'a');
  expect(await statedLanguage()).toEqual(['de', 'Leitspruch']);
  store.setLanguage('日本語');
  await store.refresh();
  await store.set('all.motto', 'b');
  expect(await statedLanguage()).toEqual(['ja', 'motto']);
  // If the language is unknown, the texts stay.
  store.setLanguage('fr');
  await expect(store.refresh()).rejects.toMatchObject({ code: '1003' });
  await store.set('all.motto', 'c');
  expect(await statedLanguage()).toEqual(['ja', 'motto']);
  const german = clientWith(granted.access_token, { language: 'Deutsch', headers });
  await german.saveAll({ 'all.motto': 'd' });
  expect(await statedLanguage()).toEqual(['de', 'Leitspruch']);
});

test('finding 6: leaving a page sends queued saves', async () => {
  const { store, saved } = await openPage();
  const held = gate();
  const { met } = proxy.plan(isSave, heldUntil(held.opened));
  const first = store.set('all.motto', 'a');
  await met;
  const second = store.set('all.motto', 'b');
  store.flush();
  await expect.poll(saved).toEqual({ motto: 'b' });
  held.open();
  await Promise.all([first, second]);
  expect(await saved()).toEqual({ motto: 'b' });
  expect(store.get('all.motto')).toMatchObject({ value: 'b', status: 'saved' });
});

test('leaving a page sends what waits for a retry', async () => {
  const { store, saved } = await openPage({ retries: 2 });
  const busy = { status: 503, headers: { 'content-type': 'application/json', 'retry-after': '5' } };
  const body = Buffer.from('{"code":"9503","message":"Busy."}');
  const refused = [1, 2].map(() => proxy.plan(isSave, (exchange) => exchange.reply({ ...busy, body })).met);
  store.set('all.volume', 7).catch(() => {});
  store.set('all.channels', ['email', 'sms']).catch(() => {});
  await Promise.all(refused);
  store.set('all.channels', ['email', 'sms', 'push']).catch(() => {});
  // The responses have arrived, too.
  await new Promise((resolve) => setTimeout(resolve, 100));
  store.flush();
  await expect.poll(saved, { timeout: 3000 }).toEqual({ volume: 7, channels: ['email', 'sms', 'push'] });
});
