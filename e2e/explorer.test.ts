import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Demo, makeDemo } from '../packages/server/src/demo/make-demo.ts';
import { databases } from '../packages/server/test/databases.ts';
import { makeSignedInUser, startTestServer, type TestServer } from '../packages/server/test/http/start.ts';
import { manageWith } from '../packages/server/test/manage/manage.ts';
import { ownBrowser } from './portal.ts';

let browser: Browser;
/** The explorer stores its state per tab, so the tests can share a context, and with it the cached files. */
let window: BrowserContext;
beforeAll(async () => {
  browser = await ownBrowser();
  window = await browser.newContext();
});
afterAll(() => browser?.close());

/** Starts a server and creates the demo application. */
async function startDemo(serve: string): Promise<{ server: TestServer; demo: Demo }> {
  const [sqlite] = databases;
  const server = await startTestServer((await sqlite?.fresh()) as string, { serve });
  const { storage, keyring } = server.service;
  return { server, demo: (await makeDemo(storage, keyring, Date.now())) as Demo };
}

/** Everything a page requested, and every error the browser reported. */
type Watched = { page: Page; paths(): string[]; pageErrors: string[]; foreign: string[] };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function visit(server: TestServer, path: string): Promise<Watched> {
  const page = await window.newPage();
  open.push(page);
  const urls: string[] = [];
  const foreign: string[] = [];
  const pageErrors: string[] = [];
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol === 'data:') return;
    urls.push(request.url());
    if (origin !== server.url) foreign.push(request.url());
  });
  page.on('pageerror', (error) => pageErrors.push(error.message));
  page.on('console', (message) => {
    // A rejected key is a normal response, but the browser also logs its status as an error.
    const isRemark = /the server responded with a status of 4\d\d/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !isRemark) pageErrors.push(message.text());
  });
  await page.goto(server.url + path);
  return { page, pageErrors, foreign, paths: () => urls.map((url) => new URL(url).pathname) };
}

const keyField = (page: Page) => page.getByLabel('apiKey');
const openButton = (page: Page) => page.getByRole('button', { name: 'Check and open' });
const operation = (page: Page, id: string) => page.locator(`#operations-${id}`);

async function enter(page: Page, apiKey: string): Promise<void> {
  await keyField(page).fill(apiKey);
  await openButton(page).click();
}

/** Scrolls until the block is rendered: the page only renders what is near the viewport. */
async function lookFor(page: Page, block: Locator): Promise<void> {
  await page.evaluate(() => scrollTo(0, 0));
  const isThere = async () => {
    if ((await block.count()) > 0) return true;
    await page.evaluate(() => scrollBy(0, innerHeight / 2));
    return false;
  };
  await expect.poll(isThere, { interval: 50 }).toBe(true);
}

/** Opens an operation and sends its preset request; returns the request and the response. */
async function execute(page: Page, id: string) {
  const block = operation(page, id);
  await lookFor(page, block);
  await block.locator('.opblock-summary-control').click();
  const [response] = await Promise.all([
    page.waitForResponse((each) => !each.url().includes('/docs')),
    block.getByRole('button', { name: 'Execute' }).click(),
  ]);
  await block.locator('.live-responses-table .response-col_status', { hasText: String(response.status()) }).waitFor();
  return { status: response.status(), url: new URL(response.url()), sent: response.request().headers() };
}

test('an operation of /manage/v1 works as preset once a personal access token is entered', async () => {
  const { server, demo } = await startDemo('users,options,portal');
  open.push(server);
  const { token } = await manageWith(server);
  const { page, foreign, pageErrors } = await visit(server, `/docs?apiKey=${demo.clientId}`);
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const scheme = page.locator('.modal-ux .auth-container', { hasText: 'manageToken' });
  await scheme.getByRole('textbox').fill(token);
  await scheme.getByRole('button', { name: 'Apply credentials' }).click();
  await page.locator('.modal-ux .close-modal').click();

  const changed = await execute(page, 'manage-changeGroup');
  expect(changed).toMatchObject({ status: 200, sent: { 'if-match': '"1"' } });
  expect(changed.url.pathname).toContain(`${demo.clientId}/catalog/groups/${demo.theme.groupUid}`);
  // Deleting an application requires typing its clientId.
  const deletion = operation(page, 'manage-deleteApplication');
  await lookFor(page, deletion);
  await deletion.locator('.opblock-summary-control').click();
  expect(await deletion.getByPlaceholder('confirm').inputValue()).toBe('');
  expect([...foreign, ...pageErrors]).toEqual([]);
});

describe('the explorer', () => {
  let server: TestServer;
  let demo: Demo;
  beforeAll(async () => {
    ({ server, demo } = await startDemo('users,options'));
  });
  afterAll(() => server.close());

  test.each(['/docs', '/docs#/options/listOptionKeys', '/docs?language=Deutsch', '/docs/'])(
    'nothing can be sent from %s before a key is entered',
    async (path) => {
      const { page, paths, foreign, pageErrors } = await visit(server, path);
      await openButton(page).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.title()).toBe('Innkeeper API explorer');
      expect(await page.getByRole('button', { name: 'Execute' }).count()).toBe(0);
      expect(await page.locator('.swagger-ui').count()).toBe(0);
      // Swagger UI itself, which sends requests, is not even loaded.
      expect(paths().filter((each) => !each.startsWith('/docs'))).toEqual(['/openapi.json']);
      expect(paths().join()).not.toContain('swagger');
      expect([...foreign, ...pageErrors]).toEqual([]);
    },
  );

  test('a missing or wrong key shows an error and opens nothing', async () => {
    const { page, pageErrors } = await visit(server, '/docs');
    for (const [key, message] of [
      ['', 'The apiKey is missing. (1001)'],
      ['1_nobody', 'No application has this apiKey. (1002)'],
      ['ключ', 'No application has this apiKey. (1002)'],
      [`${demo.clientId}x`, 'No application has this apiKey. (1002)'],
    ] as const) {
      await enter(page, key);
      await page.getByRole('alert').filter({ hasText: message }).waitFor();
      expect(await keyField(page).getAttribute('aria-invalid')).toBe('true');
      expect(await page.locator('#api-key:focus').count()).toBe(1);
    }
    expect(await page.locator('.swagger-ui').count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  test('the right key opens it by keyboard; its requests succeed, and no other key passes the check', async () => {
    const { page, foreign, pageErrors } = await visit(server, '/docs');
    await page.keyboard.type(demo.clientId);
    await page.keyboard.press('Enter');
    await operation(page, 'options-listOptionGroups').waitFor();
    expect(await page.locator('#current-key').textContent()).toBe(demo.clientId);
    const listed = await execute(page, 'options-listOptionGroups');
    expect(listed).toMatchObject({ status: 200, sent: { apikey: demo.clientId } });
    expect(listed.url.searchParams.has('language')).toBe(false);
    // The examples use this application's values.
    const fetched = await execute(page, 'options-getOptionKey');
    expect(fetched).toMatchObject({ status: 200, url: { pathname: `/api/option_keys/${demo.theme.keyUid}` } });
    // Swagger UI's own dialog does not accept it either.
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialogue = page.locator('.modal-ux');
    await dialogue.getByRole('button', { name: 'Remove authorization' }).first().click();
    await openButton(page).waitFor();
    expect(await page.locator('.swagger-ui').count()).toBe(0);
    expect([...foreign, ...pageErrors]).toEqual([]);
  });

  test('a link presets key and language; a reload keeps them; another key starts over', async () => {
    const link = `/docs?apiKey=${demo.clientId}&language=Deutsch`;
    const { page, foreign, pageErrors } = await visit(server, link);
    const { status, url } = await execute(page, 'options-listOptionKeys');
    expect(status).toBe(200);
    expect(url.searchParams.get('language')).toBe('Deutsch');

    await page.goto(`${server.url}/docs`);
    await operation(page, 'options-listOptionKeys').waitFor();
    expect((await execute(page, 'options-listOptionKeys')).url.searchParams.get('language')).toBe('Deutsch');

    await page.getByRole('button', { name: 'Change key' }).click();
    await openButton(page).waitFor();
    expect(await keyField(page).inputValue()).toBe('');
    await page.reload();
    await openButton(page).waitFor();
    expect(await page.locator('.swagger-ui').count()).toBe(0);
    expect([...foreign, ...pageErrors]).toEqual([]);
  });

  test('a page on another origin reads and saves only where its application allows it', async () => {
    const user = await makeSignedInUser(server, { ...demo, name: 'Demo' });
    const site = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<title>Shop</title>'),
    );
    const port = await new Promise<number>((resolve) => {
      site.listen(0, '127.0.0.1', () => resolve((site.address() as AddressInfo).port));
    });
    const [allowed, other] = [`http://127.0.0.1:${port}`, `http://localhost:${port}`];
    const appId = Number(demo.clientId.split('_')[0]);
    await server.service.storage.applications.update(appId, { set: { allowedOrigins: [allowed] } });
    const page = await window.newPage();
    open.push(page, { close: async () => void site.close() });
    const call = (method: string, path: string, body?: unknown) =>
      page.evaluate(
        async ([url, init]) => {
          const response = await fetch(url, init).catch((error: Error) => error);
          if (response instanceof Error) return { status: 0, headers: {}, body: undefined };
          return {
            status: response.status,
            headers: Object.fromEntries(response.headers),
            body: await response.text(),
          };
        },
        [
          server.url + path,
          {
            method,
            headers: { apiKey: demo.clientId, authorization: `Bearer ${user.accessToken}` },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          },
        ] as const,
      );

    await page.goto(allowed);
    await expect.poll(async () => (await call('GET', '/api/option_groups')).status).toBe(200);
    const keys = await call('GET', '/api/option_keys?limit=2');
    expect(keys.headers).toMatchObject({ etag: expect.any(String), link: expect.stringContaining('rel="next"') });
    const { groupUid: option_group_uid, keyUid: option_key_uid } = demo.theme;
    const saved = await call('POST', '/api/user_options', { option_group_uid, option_key_uid, value: ['dark'] });
    expect(saved.status).toBe(201);
    const { user_options_uid } = JSON.parse(saved.body as string);
    const refused = await call('POST', '/api/user_options', { option_group_uid, option_key_uid, value: ['blue'] });
    expect([refused.status, JSON.parse(refused.body as string).code]).toEqual([422, '1008']);
    expect((await call('DELETE', `/api/user_options/${user_options_uid}`)).status).toBe(204);
    // Endpoints that take a clientSecret have no CORS headers for any page.
    expect((await call('POST', '/api/v2/app/create-user', {})).status).toBe(0);

    await page.goto(other);
    expect((await call('GET', '/api/option_groups')).status).toBe(0);
    expect((await call('POST', '/api/user_options', {})).status).toBe(0);
  });

  test('presets from a link are validated too', async () => {
    const wrongKey = await visit(server, '/docs?apiKey=1_nobody#/options/listOptionKeys');
    await wrongKey.page.getByRole('alert').filter({ hasText: '1002' }).waitFor();
    expect(await wrongKey.page.locator('.swagger-ui').count()).toBe(0);

    const wrongLanguage = await visit(server, `/docs?apiKey=${demo.clientId}&language=Klingon`);
    const message = wrongLanguage.page.getByRole('alert').filter({ hasText: '1003' });
    await message.waitFor();
    expect(await message.textContent()).toContain('English, en, Deutsch, de, Español, es');
    await wrongLanguage.page.getByLabel('Language').fill('es');
    await openButton(wrongLanguage.page).click();
    await operation(wrongLanguage.page, 'options-listOptionKeys').waitFor();
  });

  test('fits a phone, in the dark theme too', async () => {
    const { page } = await visit(server, '/livez');
    await page.setViewportSize({ width: 360, height: 740 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${server.url}/docs?apiKey=${demo.clientId}`);
    await execute(page, 'options-listOptionKeys');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(28, 32, 34)');
  });

  test('its files are cached forever, have the right types, and are the only ones served', async () => {
    const page = await server.send('GET', '/docs');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|http/);
    const named = [...page.text.matchAll(/"(docs\/[^"]+)"/g)].map(([, path]) => `/${path}`);
    expect(new Set(named).size).toBe(5);
    for (const path of named) {
      const file = await server.send('GET', path);
      expect(file.status, path).toBe(200);
      expect(file.headers.get('cache-control'), path).toBe('public, max-age=31536000, immutable');
      expect(file.headers.get('content-type'), path).toMatch(
        /^(text\/(css|javascript); charset=utf-8|image\/svg\+xml)$/,
      );
      const again = await server.send('GET', path, {
        headers: { 'if-none-match': file.headers.get('etag') as string },
      });
      expect(again.status, path).toBe(304);
    }
    const stale = await server.send('GET', '/docs/explorer.js?v=older');
    expect(stale.headers.get('cache-control')).toBe('no-cache');
    for (const path of ['/docs/package.json', '/docs/..%2Fexplorer.ts', '/docs/explorer.html', '/docs/constructor']) {
      const { status, json } = await server.send('GET', path);
      expect([status, json.code], path).toEqual([404, '9404']);
    }
  });
});

describe.each([
  ['users', 'users-createUser', 'options-listOptionGroups'],
  ['options', 'options-listOptionGroups', 'users-createUser'],
])('with only %s served', (serve, shown, absent) => {
  let server: TestServer;
  let demo: Demo;
  beforeAll(async () => {
    ({ server, demo } = await startDemo(serve));
  });
  afterAll(() => server.close());

  test('the explorer asks for the key, rejects a wrong one, and shows what is served', async () => {
    const { page, foreign, pageErrors } = await visit(server, '/docs');
    await enter(page, '1_nobody');
    await page.getByRole('alert').filter({ hasText: 'No application has this apiKey. (1002)' }).waitFor();
    await enter(page, demo.clientId);
    await operation(page, shown).waitFor();
    expect(await operation(page, absent).count()).toBe(0);
    expect((await execute(page, 'operations-getLiveness')).status).toBe(200);
    expect([...foreign, ...pageErrors]).toEqual([]);
  });
});
