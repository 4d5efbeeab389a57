import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Browser, startBrowser } from '../browser.ts';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { manageAs } from '../manage/manage.ts';
import { setUpToken, signInToken } from './portal.ts';

// Chromium may have to be installed first.
vi.setConfig({ testTimeout: 40_000, hookTimeout: 600_000 });

const XSS = '<img src=x onerror="document.title=`owned`"><script>document.title="owned"</script>';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const window of open.splice(0)) await window.close();
});

type Visit = { page: Page; complaints: string[] };

async function visit(url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const window = await browser.window(options);
  open.push(window);
  const page = await window.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A refusal that the page tells of is also an entry here; what the policy blocked is not a refusal.
    if (message.type() === 'error' && !/the server responded with a status of 40[013]/.test(message.text())) {
      complaints.push(message.text());
    }
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) complaints.push(`asked ${request.url()}`);
  });
  await page.goto(url);
  return { page, complaints };
}

const enter = (page: Page) => page.getByRole('button', { name: 'Sign in' });
const section = (page: Page, name: string) => page.getByRole('region', { name });

describe.each(databases)('the portal on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server?.close());

  const arrive = async (options: BrowserContextOptions = {}): Promise<Visit> => {
    const arrived = await visit(`${server.url}/portal/sign-in#${await signInToken(server)}`, options);
    await enter(arrived.page).click();
    await arrived.page.getByRole('heading', { name: 'Your account' }).waitFor();
    return arrived;
  };

  test('is set up by keyboard alone; the link is not spent by opening it, and not kept in the history', async () => {
    const token = await setUpToken(server);
    const url = `${server.url}/portal/sign-in#${token}`;
    await visit(url);
    const { page, complaints } = await visit(url);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'Enter your e-mail address' }).waitFor();
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(page.url()).toBe(`${server.url}/portal`);
    expect(await page.locator('#who').textContent()).toBe('ada@example.com');
    await page.getByText('No application yet.').waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(complaints).toEqual([]);

    const late = await visit(url);
    await late.page.getByLabel('E-mail address').fill('eve@example.com');
    await late.page.getByRole('button', { name: 'Make my account' }).click();
    await late.page.getByRole('alert').filter({ hasText: 'This link is no longer good' }).waitFor();
  });

  test('a used or missing link is told plainly, with the way to a new one', async () => {
    const token = await signInToken(server);
    const { page } = await visit(`${server.url}/portal/sign-in#${token}`);
    await enter(page).click();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    const again = await visit(`${server.url}/portal/sign-in#${token}`);
    await enter(again.page).click();
    await again.page.getByRole('alert').filter({ hasText: 'used before' }).waitFor();
    const none = await visit(`${server.url}/portal/sign-in`);
    await none.page.getByText('innkeeper admin create').waitFor();
    const outside = await visit(`${server.url}/portal`);
    await outside.page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    expect([...none.complaints, ...outside.complaints]).toEqual([]);
  });

  test('makes an application and a token, shown once, and shows their names as text', async () => {
    const { page, complaints } = await arrive();
    const applications = section(page, 'Applications');
    await applications.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').filter({ hasText: 'Give it a name first.' }).waitFor();
    await applications.getByLabel('New application').fill(XSS);
    await applications.getByRole('button', { name: 'Create' }).click();
    await applications.getByText('Keep its secret now').waitFor();
    await applications.getByRole('listitem').filter({ hasText: XSS }).waitFor();
    const secret = await applications.locator('.once code').nth(1).textContent();
    expect(secret).toMatch(/^ink_/);

    const tokens = section(page, 'Personal access tokens');
    await tokens.getByLabel('New token').fill(`deploy ${XSS}`);
    await tokens.getByLabel('May').selectOption('read and change');
    await tokens.getByRole('button', { name: 'Create' }).click();
    const token = (await tokens.locator('.once code').textContent()) as string;
    const program = manageAs(server, token);
    expect((await program.get('/applications')).json.total).toBe(1);
    await page.reload();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    expect(await page.locator('body').innerText()).not.toContain(secret);
    expect(await page.locator('body').innerText()).not.toContain(token);
    await tokens.getByRole('button', { name: /^Revoke/ }).click();
    await tokens.getByRole('button', { name: /^Really revoke/ }).click();
    await page.getByText('It has stopped working.').waitFor();
    await tokens.getByText('No token yet.').waitFor();
    expect((await program.get('/applications')).json.code).toBe('9401');
    expect(await page.title()).toBe('Innkeeper portal');
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('ends another session, and signing out leaves nothing on the page', async () => {
    const [desk, phone] = [await arrive(), await arrive()];
    const sessions = section(desk.page, 'Where you are signed in');
    await desk.page.reload();
    await sessions.getByText('this one').waitFor();
    for (let left = await sessions.getByRole('button', { name: /^End/ }).count(); left > 0; left--) {
      await sessions.getByRole('button', { name: /^End/ }).first().click();
      await sessions.getByRole('button', { name: /^Really end/ }).click();
      await expect.poll(() => sessions.getByRole('button', { name: /^End/ }).count()).toBe(left - 1);
    }
    await phone.page.reload();
    await phone.page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    await desk.page.getByRole('button', { name: 'Sign out' }).click();
    await desk.page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    expect(await desk.page.locator('body').innerText()).not.toContain('ada@example.com');
    await desk.page.reload();
    await desk.page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    expect([...desk.complaints, ...phone.complaints]).toEqual([]);
  });

  test('another page of the same site can make the browser change nothing', async () => {
    const { page } = await arrive();
    const before = (await server.service.storage.applications.list()).length;
    // Another port is another origin, but the same site: SameSite=Strict lets the cookie through.
    const neighbour = await startTestServer(await database.fresh());
    try {
      await page.goto(`${neighbour.url}/livez`);
      const sent = await page.evaluate(
        async ([url]) => {
          const body = '{"name":"Forged"}';
          const plain = { method: 'POST', mode: 'no-cors', credentials: 'include', body } as const;
          await fetch(`${url}/manage/v1/applications`, plain);
          const headers = { 'X-Innkeeper-Portal': '1' };
          return fetch(`${url}/manage/v1/applications`, { method: 'POST', credentials: 'include', headers, body }).then(
            () => 'sent',
            () => 'blocked',
          );
        },
        [server.url],
      );
      expect(sent).toBe('blocked');
      expect(await server.service.storage.applications.list()).toHaveLength(before);
    } finally {
      await neighbour.close();
    }
  });

  test.each([
    ['phone', 'dark', { width: 360, height: 740 }],
    ['phone', 'light', { width: 360, height: 740 }],
    ['desktop', 'dark', { width: 1200, height: 900 }],
    ['desktop', 'light', { width: 1200, height: 900 }],
  ] as const)('fits a %s, %s', async (device, colorScheme, viewport) => {
    await server.application();
    const { page } = await arrive({ viewport, colorScheme });
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth');
    await section(page, 'Applications').getByLabel('New application').fill('A shop with quite a long name for a phone');
    await section(page, 'Applications').getByRole('button', { name: 'Create' }).click();
    await page.getByText('Keep its secret now').waitFor();
    expect(await width()).toBeLessThanOrEqual(viewport.width);
    const folder = process.env.SCREENSHOTS;
    if (folder) {
      await mkdir(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `account-${device}-${colorScheme}.png`), fullPage: true });
      await page.goto(`${server.url}/portal/sign-in#${await signInToken(server)}`);
      await page.screenshot({ path: join(folder, `sign-in-${device}-${colorScheme}.png`) });
    }
  });
});

test('the pages and their files are all there is', async () => {
  const [sqlite] = databases as [(typeof databases)[0]];
  const server = await startTestServer(await sqlite.fresh());
  try {
    for (const [path, files] of [
      ['/portal', 3],
      ['/portal/sign-in', 3],
    ] as const) {
      const page = await server.send('GET', path);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; /);
      expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe|\*|http/);
      const named = new Set([...page.text.matchAll(/"([^"]+\?v=[^"]+)"/g)].map(([, name]) => name as string));
      expect(named.size, path).toBe(files);
      for (const name of named) {
        const file = await server.send(
          'GET',
          new URL(name, server.url + path).pathname + new URL(name, server.url).search,
        );
        expect([name, file.status, file.headers.get('cache-control')]).toEqual([
          name,
          200,
          'public, max-age=31536000, immutable',
        ]);
      }
    }
    expect((await server.send('GET', '/portal/')).headers.get('location')).toBe('../portal');
    for (const path of ['/portal/account.html', '/portal/..%2Fportal-pages.ts', '/portal/constructor']) {
      expect((await server.send('GET', path)).json.code, path).toBe('9404');
    }
    const without = await startTestServer(await sqlite.fresh(), { serve: 'users,options' });
    try {
      expect((await without.send('GET', '/portal')).status).toBe(404);
    } finally {
      await without.close();
    }
  } finally {
    await server.close();
  }
});
