import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { contrast, readableAccent } from '../../src/domain/applications/look.ts';
import type { CatalogFile } from '../../src/domain/catalog/file-schema.ts';
import { createKeyring } from '../../src/domain/keyring.ts';
import { type LinkContent, readLink, writeLink } from '../../src/domain/preferences/links.ts';
import { databases } from '../databases.ts';
import { dump } from '../dump.ts';
import { formOf } from './html-form.ts';
import { withCatalog } from './options/example-catalog.ts';
import { makeTestUser, values } from './options/test-user.ts';
import { basic, makeSignedInUser, startTestServer, type TestServer } from './start.ts';

type TestUser = Awaited<ReturnType<typeof makeTestUser>>;

describe.each(databases)('preference links on $kind', (database) => {
  let url: string;
  let server: TestServer;
  beforeAll(async () => {
    url = await database.fresh();
    server = await startTestServer(url);
  });
  afterAll(() => server.close());

  const linkPath = ({ application, user }: TestUser, userCode = user.userCode) =>
    `/api/v2/app/${application.clientId}/users/${userCode}/preference-link`;
  const link = (testUser: TestUser, body: unknown = {}) =>
    server.post(linkPath(testUser), body, basic(testUser.application));
  const pathOf = (url: unknown): string => String(url).replace(/^<?/, '').replace(/>?$/, '').slice(server.url.length);
  const makePage = async (testUser: TestUser, body: unknown = {}) => pathOf((await link(testUser, body)).json.url);
  const tokenOf = (path: string): string => path.split('/')[2] as string;
  const keyNo = async ({ application }: TestUser, name: string): Promise<number> => {
    const { keys } = await server.service.catalogs.get(application.appId);
    return keys.find(({ key }) => key.name === name)?.key.keyNo as number;
  };
  const submit = (path: string, form: URLSearchParams) => server.send('POST', path, { body: form });
  const saved = async (testUser: TestUser) => values((await testUser.read()).json);

  test('a link is short, expires, and is created with its content', async () => {
    const testUser = await makeTestUser(server);
    const made = await link(testUser);
    expect(made.status).toBe(200);
    expect(Object.keys(made.json)).toEqual(['url', 'expires_at']);
    const days = (Date.parse(`${made.json.expires_at}Z`) - server.service.now()) / 86_400_000;
    expect([Math.round(days), made.headers.get('cache-control')]).toEqual([30, 'no-store']);
    const full = await link(testUser, {
      groups: ['kitchen', 'open'],
      language: 'Deutsch',
      expires_in: 31_536_000,
      unsubscribe: { 'kitchen.vegetarian': [false], 'open.tags': [], 'kitchen.fruit': ['cherry'] },
    });
    expect(full.json.list_unsubscribe_post).toBe('List-Unsubscribe=One-Click');
    expect(full.json.list_unsubscribe).toMatch(/^<http:\S+>$/);
    for (const { json } of [made, full]) {
      expect(String(json.url).length).toBeLessThanOrEqual(200);
      expect(String(json.list_unsubscribe ?? '').length).toBeLessThanOrEqual(202);
    }
    const page = await server.send('GET', pathOf(full.json.url));
    expect(page.text).toContain('<html lang="de" dir="ltr">');
    expect(page.text).toContain('Küche');
    const one = await server.send('GET', await makePage(testUser, { groups: ['open'] }));
    expect([one.text.includes('Kitchen'), one.text.includes('volume')]).toEqual([false, true]);
    const empty = await server.send('POST', linkPath(testUser), { headers: basic(testUser.application) });
    expect(empty.status).toBe(200);
  });

  test('errors follow the order of the contract and name the problem', async () => {
    const testUser = await makeTestUser(server);
    const { application, user } = testUser;
    const statusAndCode = async (path: string, body: unknown, who = application) => {
      const { status, json } = await server.post(path, body, basic(who));
      return [status, json.code];
    };
    const stranger = await server.application();
    const wrong = { ...application, clientSecret: stranger.clientSecret };
    expect(await statusAndCode(`/api/v2/app/1_0/users/${user.userCode}/preference-link`, {}, wrong)).toEqual([
      400,
      '0012',
    ]);
    expect(await statusAndCode(linkPath(testUser), {}, wrong)).toEqual([400, '0011']);
    expect(await statusAndCode(linkPath(testUser, 'nobody'), [])).toEqual([400, '0025']);
    for (const body of [
      { expires_in: 0 },
      { expires_in: 31_536_001 },
      { expires_in: '30d' },
      { language: 'Klingon' },
      { groups: [] },
      { groups: ['nothing'] },
      { groups: 'kitchen' },
      { unsubscribe: {} },
      { unsubscribe: ['kitchen.vegetarian'] },
      { unsubscribe: { 'kitchen.nothing': [false] } },
      { unsubscribe: { 'kitchen.vegetarian': false } },
      { unsubscribe: { 'kitchen.vegetarian': ['false'] } },
      { unsubscribe: { 'kitchen.fruit': [] } },
      { unsubscribe: { 'open.tags': ['a'.repeat(150)] } },
    ]) {
      expect([body, ...(await statusAndCode(linkPath(testUser), body))]).toEqual([body, 400, '9400']);
    }
    const list = await server.send('POST', linkPath(testUser), { headers: basic(application), body: '[' });
    expect([list.status, list.json.code]).toEqual([400, '0021']);
  });

  test('a GET shows the page and changes nothing', async () => {
    const testUser = await makeTestUser(server, { allowedOrigins: ['https://app.example.com'] });
    const path = await makePage(testUser);
    const page = await server.send('GET', path);
    expect(page.status).toBe(200);
    expect(Buffer.byteLength(page.text)).toBeLessThan(50_000);
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('x-robots-tag')).toContain('noindex');
    expect(page.headers.get('set-cookie')).toBeNull();
    const policy = page.headers.get('content-security-policy') as string;
    expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-/);
    expect(policy).not.toContain('unsafe');
    expect(policy).toMatch(/; frame-ancestors https:\/\/app\.example\.com$/);
    const closed = await server.send('GET', await makePage(await makeTestUser(server)));
    expect(closed.headers.get('content-security-policy')).toMatch(/; frame-ancestors 'none'$/);
    await server.send('GET', `${path}?language=de`);
    const unsubscribe = pathOf(
      (await link(testUser, { unsubscribe: { 'kitchen.vegetarian': [true] } })).json.list_unsubscribe,
    );
    const button = await server.send('GET', unsubscribe);
    expect([button.status, button.text.match(/<button>/g)?.length]).toEqual([200, 1]);
    expect(await saved(testUser)).toEqual([]);
  });

  test('the page has the logo and the colour of the application, readable in light and dark', async () => {
    const logo = `data:image/webp;base64,${Buffer.from(`RIFF....WEBP${'x'.repeat(16_372)}`).toString('base64')}`;
    const testUser = await makeTestUser(server, { accentColor: '#ffdd00', logo });
    const page = await server.send('GET', await makePage(testUser));
    expect(page.text).toContain(`<img class="logo" src="${logo}" alt="">`);
    expect(Buffer.byteLength(page.text)).toBeLessThan(50_000);
    const style =
      /<style>(:root\{--key:(#\w{6});--onkey:(#\w{6})\}@media [^{]+\{:root\{--key:(#\w{6}).*?)<\/style>/.exec(
        page.text,
      );
    const [, text = '', light = '', onLight = '', dark = ''] = style ?? [];
    const hash = createHash('sha256').update(text).digest('base64');
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain(`'sha256-${hash}'; img-src data:; connect-src 'self'`);
    expect([light === '#ffdd00', onLight, dark]).toEqual([false, '#ffffff', '#ffdd00']);
    const dead = await server.send('GET', '/p/nothing');
    expect([dead.text.includes('<img'), dead.text.includes(light)]).toEqual([false, false]);
  });

  test('every kind of key is shown and saved without scripts, and only changes are saved', async () => {
    const testUser = await makeTestUser(server);
    const path = await makePage(testUser);
    const unchanged = await submit(path, formOf((await server.send('GET', path)).text));
    expect([unchanged.status, await saved(testUser)]).toEqual([200, []]);

    const form = formOf((await server.send('GET', `${path}?language=de`)).text);
    const name = async (key: string) => `v${await keyNo(testUser, key)}`;
    form.set(await name('vegetarian'), 'true');
    form.set(await name('portions'), '2');
    form.set(await name('ratio'), '1.5');
    form.set(await name('volume'), '10');
    form.set(await name('motto'), 'Grüß');
    form.set(await name('birthday'), '1990-05-17');
    form.delete(await name('fruit'));
    for (const fruit of ['"cherry"', '"apricot"']) form.append(await name('fruit'), fruit);
    const tags = await name('tags');
    form.delete(tags);
    for (const tag of ['<b>', '', 'a&b']) form.append(tags, tag);
    // ß is outside the motto's pattern.
    const refused = await submit(`${path}?language=de`, form);
    expect(refused.status).toBe(422);
    expect(refused.text.match(/class="error"/g)).toHaveLength(1);
    expect(formOf(refused.text).get(await name('motto'))).toBe('Grüß');
    expect(formOf(refused.text).getAll(await name('fruit'))).toEqual(['"apricot"', '"cherry"']);
    expect(await saved(testUser)).toEqual([]);

    const again = formOf(refused.text);
    again.set(await name('motto'), 'Servus');
    const done = await submit(`${path}?language=de`, again);
    expect([done.status, done.text.includes('gespeichert'), done.text.includes('<b>')]).toEqual([200, true, false]);
    expect(await saved(testUser)).toEqual([
      ['vegetarian', true],
      ['fruit', ['apricot', 'cherry']],
      ['portions', 2],
      ['ratio', 1.5],
      ['volume', 10],
      ['motto', 'Servus'],
      ['birthday', '1990-05-17'],
      ['tags', ['<b>', 'a&b']],
    ]);
    const { items } = (await testUser.read()).json as { items: { user_options_uid: string }[] };
    const history = await testUser.get(`/api/user_options/${items[0]?.user_options_uid}/history`, {
      authorization: `Bearer ${testUser.user.accessToken}`,
    });
    expect(history.json.items).toMatchObject([{ by: 'preference_link', to_value: true }]);
    // Submitting an outdated form does not restore the values that it showed.
    await testUser.save(await testUser.choice('volume', [0]));
    const stale = formOf(done.text);
    stale.set(await name('portions'), '4');
    await submit(path, stale);
    expect(await saved(testUser)).toContainEqual(['volume', 0]);
    expect(await saved(testUser)).toContainEqual(['portions', 4]);
  });

  test('invalid values are rejected at their fields, for arbitrary forms', async () => {
    const testUser = await makeTestUser(server);
    const path = await makePage(testUser);
    const shown = (await server.send('GET', path)).text;
    for (const [key, ...sent] of [
      ['volume', '11'],
      ['volume', 'many'],
      ['volume', ''],
      ['birthday', '2026-02-30'],
      ['motto', 'x'.repeat(30)],
      ['portions', '3'],
      ['portions', 'nonsense'],
      ['fruit'],
      ['fruit', '"apple"', '"apricot"', '"cherry"'],
    ] as [string, ...string[]][]) {
      const form = formOf(shown);
      const name = `v${await keyNo(testUser, key)}`;
      form.delete(name);
      for (const text of sent) form.append(name, text);
      const answer = await submit(path, form);
      expect([key, sent, answer.status, answer.text.match(/class="error"/g)?.length]).toEqual([key, sent, 422, 1]);
    }
    const odd = await server.send('POST', path, { body: 'w1=%7B&v1=%ff&=&w2=[1]&v2=true&nothing' });
    expect(odd.status).toBeLessThan(500);
    expect((await server.send('POST', path, { body: 'v'.repeat(70_000) })).status).toBe(413);
    expect(await saved(testUser)).toEqual([]);
  });

  test('one click unsubscribes without cookies, from anywhere, without a redirect', async () => {
    const testUser = await makeTestUser(server);
    await testUser.save(await testUser.choice('vegetarian', [true]));
    await testUser.save(await testUser.choice('tags', ['news', 'offers']));
    const { json } = await link(testUser, { unsubscribe: { 'kitchen.vegetarian': [false], 'open.tags': [] } });
    const path = pathOf(json.list_unsubscribe);
    const form = new FormData();
    form.append('List-Unsubscribe', 'One-Click');
    for (const body of [form, new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })]) {
      const answer = await fetch(server.url + path, {
        method: 'POST',
        body,
        redirect: 'error',
        headers: { origin: 'https://mail.example.com' },
      });
      expect(answer.status).toBe(200);
    }
    expect(await saved(testUser)).toEqual([
      ['vegetarian', false],
      ['tags', []],
    ]);
    const preferences = await server.send('GET', path.replace('/u/', '/p/'));
    expect(preferences.status).toBe(200);
    // A link for the page alone cannot be used to unsubscribe.
    const page = await makePage(testUser);
    expect((await server.send('POST', page.replace('/p/', '/u/'))).status).toBe(404);
  });

  test('removed keys cannot be unsubscribed from, and block nothing', async () => {
    const testUser = await makeTestUser(server);
    const { json } = await link(testUser, { unsubscribe: { 'open.volume': [0], 'open.tags': ['none'] } });
    const languages = [{ name: 'English', tag: 'en', default: true }];
    const tags = { name: 'tags', type: 'string', multiple: true } as const;
    await testUser.publish({ languages, groups: [{ name: 'open', keys: [tags] }] });
    await server.service.refresh();
    expect((await server.send('POST', pathOf(json.list_unsubscribe))).status).toBe(200);
    expect(await saved(testUser)).toEqual([['tags', ['none']]]);
    await testUser.publish({ languages, groups: [{ name: 'open', keys: [{ ...tags, values: ['all'] }] }] });
    await server.service.refresh();
    expect((await server.send('POST', pathOf(json.list_unsubscribe))).status).toBe(422);
  });

  test('an invalid link shows one page, for any reason', async () => {
    const testUser = await makeTestUser(server);
    const { application, user } = testUser;
    const path = await makePage(testUser);
    const good = readLink(server.service.keyring, tokenOf(path)) as LinkContent;
    const write = (change: Partial<LinkContent>, keyring = server.service.keyring) =>
      `/p/${writeLink(keyring, { ...good, ...change })}`;
    const suspended = await makeSignedInUser(server, application);
    const gone = await makeSignedInUser(server, application);
    const at = (code: string) => `/api/v2/app/${application.clientId}/users/${code}`;
    const paths = {
      expired: write({ expiresAt: Math.floor(server.service.now() / 1000) * 1000 }),
      foreign: write({}, createKeyring('another secret, as long as it has to be 0123456789')),
      'of another application': write({ appId: (await server.application()).appId }),
      'of an unknown application': write({ appId: 99 }),
      'of nobody': write({ userId: '00000000-0000-4000-8000-000000000000' }),
      suspended: write({ userId: suspended.userCode }),
      deleted: write({ userId: gone.userCode }),
      altered: path.slice(0, -1) + (path.endsWith('A') ? 'B' : 'A'),
      malformed: '/p/anything',
      'malformed to unsubscribe': '/u/ikr_',
    };
    await server.send('PATCH', at(suspended.userCode), {
      headers: basic(application),
      body: JSON.stringify({ status: 'suspended' }),
    });
    await server.send('DELETE', at(gone.userCode), { headers: basic(application) });
    const neutral = await server.send('GET', '/p/nothing');
    expect([neutral.status, neutral.text.includes('Test')]).toEqual([404, false]);
    const headersOf = ({ headers }: { headers: Headers }) =>
      [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
    const isDead = async (dead: string) => {
      for (const method of ['GET', 'POST']) {
        const answer = await server.send(method, dead);
        expect([answer.status, answer.text]).toEqual([404, neutral.text]);
        expect(headersOf(answer)).toEqual(headersOf(neutral));
      }
    };
    for (const dead of Object.values(paths)) await isDead(dead);
    // Timing reveals nothing either: every kind makes the same database calls and responds after the same minimum time.
    const { users } = server.service.storage;
    const spies = [vi.spyOn(users, 'find'), vi.spyOn(users, 'linkGeneration'), vi.spyOn(server.service, 'refresh')];
    try {
      for (const [why, dead] of Object.entries(paths)) {
        for (const spy of spies) spy.mockClear();
        const sent = performance.now();
        await server.send('GET', dead);
        expect([why, performance.now() - sent >= 9]).toEqual([why, true]);
        expect([why, ...spies.map(({ mock }) => mock.calls.length)]).toEqual([why, 1, 1, 0]);
      }
    } finally {
      for (const spy of spies) spy.mockRestore();
    }

    expect((await server.send('GET', path)).status).toBe(200);
    const other = await makeSignedInUser(server, application);
    const kept = await server.post(linkPath(testUser, other.userCode), {}, basic(application));
    expect((await server.send('DELETE', linkPath(testUser), { headers: basic(application) })).status).toBe(204);
    await isDead(path);
    expect((await server.send('GET', pathOf(kept.json.url))).status).toBe(200);
    expect((await server.send('GET', await makePage(testUser))).status).toBe(200);
    const nobody = await server.send('DELETE', linkPath(testUser, user.userCode.replace(/^./, 'f')), {
      headers: basic(application),
    });
    expect([nobody.status, nobody.json.code]).toEqual([400, '0025']);
    const german = await server.send('GET', '/p/nothing', { headers: { 'accept-language': 'de-AT' } });
    expect(german.text).toContain('Dieser Link ist nicht gültig');
  });

  test('links stay out of the request log', async () => {
    const testUser = await makeTestUser(server);
    const made = await link(testUser, { unsubscribe: { 'kitchen.vegetarian': [false] } });
    const paths = [pathOf(made.json.url), pathOf(made.json.list_unsubscribe)];
    for (const path of paths) await server.send('GET', `${path}?language=de&x=${tokenOf(path)}`);
    await submit(paths[0] as string, formOf((await server.send('GET', paths[0] as string)).text));
    await server.send('GET', `${paths[0]}/more`, { headers: testUser.apiKey });
    const { requestLog } = server.service.storage;
    const page = { before: null, limit: 100 };
    await vi.waitFor(
      async () => {
        const found = await requestLog.list(testUser.application.appId, {}, page);
        expect(found.filter(({ route }) => route === '/p/:link' || route === '/u/:link')).toHaveLength(4);
      },
      { timeout: 30_000, interval: 100 },
    );
    const everything = await dump(url);
    for (const path of paths) expect(everything).not.toContain(tokenOf(path).slice(4, 44));
  });

  test('a long page is rendered while it is sent, with nothing costly per field', async () => {
    const keys = Array.from({ length: 450 }, (_, at) => ({
      ...{ name: `k${at}`, type: at % 2 ? 'date' : 'number', translations: { Íslenska: `Reitur ${at}` } },
      constraint: at % 2 ? { min: '2020-01-01', max: '2030-12-31' } : { min: 0.5, max: 1000, step: 0.5 },
    }));
    const many = { name: 'many', type: 'integer', multiple: true, values: Array.from({ length: 2000 }, (_, at) => at) };
    const languages = [
      { name: 'English', tag: 'en', default: true },
      { name: 'Íslenska', tag: 'is' },
    ];
    const groups = [
      { name: 'g', keys },
      { name: 'h', keys: [many] },
    ];
    const shop = await withCatalog(server, { languages, groups } as CatalogFile);
    const testUser = { ...shop, user: await makeSignedInUser(server, shop.application) } as unknown as TestUser;
    const path = await makePage(testUser);
    await server.send('GET', path);
    const made = [vi.spyOn(Intl, 'NumberFormat'), vi.spyOn(Intl, 'DateTimeFormat'), vi.spyOn(Intl, 'Locale')];
    try {
      for (const language of ['en', 'is']) {
        for (const spy of made) spy.mockClear();
        const page = await server.send('GET', `${path}?language=${language}`);
        expect(formOf(page.text).size).toBe(2 * keys.length + 1);
        expect(page.text.split('type="checkbox"')).toHaveLength(2001);
        expect(page.text).toMatch(/<\/html>\n$/);
        expect([page.headers.get('content-length'), page.headers.get('transfer-encoding')]).toEqual([null, 'chunked']);
        const [numbers, dates, locales] = made.map(({ mock }) => mock.calls.length);
        expect([numbers, dates]).toEqual([0, 0]);
        // One for the direction of the page's language, one for that of its texts.
        expect(locales).toBeLessThanOrEqual(2);
      }
    } finally {
      for (const spy of made) spy.mockRestore();
    }
  });
});

test('every accent colour is readable, and so is text on it', () => {
  const rgb = (color: string) => [...Buffer.from(color.slice(1), 'hex')];
  for (let step = 0; step < 512; step++) {
    const color = `#${Buffer.from([(step >> 6) * 36, ((step >> 3) & 7) * 36, (step & 7) * 36]).toString('hex')}`;
    for (const background of ['#f6f7f9', '#1b1e23']) {
      const { accent, onAccent } = readableAccent(color, background);
      expect(contrast(rgb(accent), rgb(background))).toBeGreaterThanOrEqual(4.5);
      expect(contrast(rgb(accent), rgb(onAccent))).toBeGreaterThanOrEqual(4.5);
    }
  }
  expect(contrast([0, 0, 0], [255, 255, 255])).toBe(21);
});

test('none of ten thousand altered or forged links is accepted', () => {
  const keyring = createKeyring('a secret for links, long enough 0123456789 abcdef');
  const content: LinkContent = {
    appId: 123_456_789,
    userId: '0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31',
    expiresAt: 1_900_000_000_000,
    generation: 300,
    language: 'de-AT',
    groups: ['6b7c8d9e', '00000001'],
    unsubscribe: [
      { keyNo: 1000, values: [false] },
      { keyNo: 2, values: [] },
    ],
  };
  const token = writeLink(keyring, content);
  expect(readLink(keyring, token)).toEqual(content);
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  let passed = 0;
  let tried = 0;
  const attempt = (altered: string) => {
    if (altered === token) return;
    tried++;
    if (readLink(keyring, altered)) passed++;
  };
  for (let at = 0; at < token.length; at++) {
    for (const character of alphabet) attempt(token.slice(0, at) + character + token.slice(at + 1));
    attempt(token.slice(0, at));
    attempt(token.slice(0, at) + token.slice(at + 1));
    attempt(`${token.slice(0, at)}A${token.slice(at)}`);
  }
  const forger = createKeyring('another secret, long enough 0123456789 abcdef');
  for (let index = 0; index < 4000; index++) {
    attempt(writeLink(forger, { ...content, generation: index }));
  }
  expect(tried).toBeGreaterThan(10_000);
  expect(passed).toBe(0);
});
