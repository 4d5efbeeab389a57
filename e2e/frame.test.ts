import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../packages/server/test/databases.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { makeSignedInUser } from '../packages/server/test/http/start.ts';
import { manageWith } from '../packages/server/test/manage/manage.ts';
import { expectAccessible, expectFits, expectFocus, holdRequests, openPortal } from './portal.ts';

const portal = openPortal(sqlite);

describe('the portal', () => {
  test('navigates between rooms, and signs out', async () => {
    const application = await portal.server.application();
    const { page, pageErrors } = await portal.enter();
    await page.getByRole('link', { name: 'Test' }).first().click();
    for (const room of ['Catalog', 'Connect', 'Insights', 'Catalog', 'Translations', 'Users', 'Credentials']) {
      await page.getByRole('navigation').getByRole('link', { name: room, exact: true }).click();
      await page.getByRole('heading', { name: room, level: 1 }).waitFor();
    }
    expect(page.url()).toBe(`${portal.server.url}/portal/applications/${application.clientId}/credentials`);
    await page.reload();
    await page.getByRole('heading', { name: 'Credentials', level: 1 }).waitFor();
    await page.getByRole('button', { name: /^Account / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/portal/sign-in');
    await page.goto(`${portal.server.url}/portal`);
    await page.waitForURL('**/portal/sign-in');
    expect(pageErrors).toEqual([]);
  });

  test('supports four languages and a dark theme, and keeps both', async () => {
    const email = 'polyglot@example.com';
    const { page } = await portal.enter('', { email });
    const kept = async () =>
      JSON.parse((await portal.server.service.storage.accounts.findByEmail(email))?.account.preferences ?? '{}');
    // The first request is slow, but the last choice must win.
    const held = Promise.withResolvers<void>();
    await page.route('**/account/preferences', (route) => held.promise.then(() => route.continue()), { times: 1 });
    const menu = () => page.getByRole('button', { name: /@example\.com$/ }).click();
    await menu();
    for (const [language, signOut] of [
      ['Deutsch', 'Abmelden'],
      ['Español', 'Cerrar sesión'],
      ['Magyar', 'Kijelentkezés'],
    ] as const) {
      await page.getByRole('menuitemradio', { name: language }).click();
      await page.getByRole('menuitem', { name: signOut }).waitFor();
    }
    held.resolve();
    await expect.poll(kept).toMatchObject({ language: 'hu' });
    // With two tabs, both settle on the choice made in one of them.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('heading', { name: 'Alkalmazások' }).waitFor();
    await page.bringToFront();
    const taken = await Promise.all([page, other].map(themesTaken));
    await page.getByRole('menuitemradio', { name: 'Sötét' }).click();
    expect(await Promise.all(taken.map((themes) => themes()))).toEqual([['dark'], ['dark']]);
    await expect.poll(kept).toEqual({ theme: 'dark', language: 'hu' });
    // Field errors from the service are translated too.
    const expectRefused = async () => {
      await page.getByRole('button', { name: 'Új alkalmazás' }).click();
      await page.getByRole('textbox', { name: 'Név' }).fill('a\u202eb');
      await page.getByRole('button', { name: 'Létrehozás' }).click();
      await page.getByText('Vezérlőkaraktert vagy írásirányt váltó karaktert tartalmaz.').waitFor();
    };
    await page.keyboard.press('Escape');
    await expectRefused();
    await page.reload();
    await page.getByRole('heading', { name: 'Alkalmazások' }).waitFor();
    await expectRefused();
    expect(await page.evaluate(() => document.documentElement.dataset.mantineColorScheme)).toBe('dark');
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('hu');
  });

  test('fits a phone and is accessible', async () => {
    const { clientId } = await portal.server.application();
    const { page } = await portal.enter(`/applications/${clientId}`, { viewport: { width: 380, height: 760 } });
    // When closed, the menu cannot be focused; Escape and choosing a room close it.
    const menu = page.getByRole('button', { name: 'Menu' });
    const rooms = page.getByRole('navigation', { name: 'Menu' });
    const isOpen = () => rooms.evaluate((it) => !it.matches('[inert]'));
    const openRoom = rooms.getByRole('link', { name: 'Overview', exact: true });
    await expect.poll(isOpen).toBe(false);
    for (const close of [() => page.keyboard.press('Escape'), () => openRoom.click()]) {
      await menu.click();
      await expect.poll(isOpen).toBe(true);
      await close();
      await expect.poll(isOpen).toBe(false);
      await expectFocus(menu);
    }
    await menu.click();
    await page.getByRole('navigation').getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    await expectFits(page);
    await expectAccessible(page);
    // When the service is down, the page stays and says so; the room loads by itself once it is back.
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Audit log', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'Cannot reach the service' }).waitFor();
    await expectFits(page);
    await expectAccessible(page);
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'No changes yet' }).waitFor();
    await page.getByText('Cannot reach the service').waitFor({ state: 'detached' });
  });

  test('finds pages, users, keys and requests by name, and runs commands, without the mouse', async () => {
    const { server } = portal;
    const log = server.service.storage.requestLog;
    const { application, apiKey, choice } = await withCatalog(server);
    const { clientId } = application;
    const other = await server.application();
    const user = await makeSignedInUser(server, application, 'grace@example.com');
    const body = await choice('fruit', ['pear'], { user_uid: user.userCode });
    await server.post('/api/user_options', body, { ...apiKey, 'x-request-id': 'support-case-17' });
    const refused = await server.post('/api/user_options', body, apiKey);
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}`);
    const field = page.getByRole('combobox', { name: 'Search and commands' });
    const choose = async (typed: string, name: string | RegExp) => {
      await page.keyboard.press('Control+k');
      await expectFocus(field);
      await field.fill(typed);
      await page.getByRole('option', { name, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await field.waitFor({ state: 'detached' });
    };
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('option', { name: 'Overview', selected: true }).waitFor();
    await expectFocus(field);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'Catalog', selected: true }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await choose('invite', 'Members');
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    // Enter never opens a result of an earlier input.
    await page.keyboard.press('Control+k');
    await field.fill('grace');
    const grace = page.getByRole('option', { name: /grace@example\.com/ });
    await grace.waitFor();
    const release = await holdRequests(page, 'GET', /search=hopper/);
    await field.fill('hopper');
    expect(await grace.count()).toBe(0);
    release();
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await choose('grace', /grace@example\.com/);
    await page.getByRole('heading', { name: 'Test user', level: 1 }).waitFor();
    // In a text field, a slash is just a character.
    const search = page.getByRole('searchbox').first();
    await search.press('/');
    expect(await search.inputValue()).toBe('/');
    await choose('fruit', /kitchen\/fruit/);
    await page.waitForURL(/catalog\?item=/);
    // A command opens its dialog without changing the selected key.
    for (const name of ['Add group', 'Publish']) {
      await choose(name, new RegExp(name));
      await page.getByRole('dialog', { name }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.waitForURL(/catalog\?item=[^&]+$/);
    }
    await expect
      .poll(() => log.list(application.appId, { requestId: 'support-case-17' }, { before: null, limit: 1 }))
      .toHaveLength(1);
    await choose('support-case-17', /POST \/api\/user_options/);
    await page.getByRole('dialog', { name: 'Request' }).getByText('support-case-17').waitFor();
    // The palette does not open on top of a dialog.
    await page.keyboard.press('Control+k');
    expect(await field.count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // Switching to another application keeps the current room.
    await choose(other.clientId, 'Test');
    await page.waitForURL(`**/applications/${other.clientId}/requests`);
    await choose('theme dark', 'Theme: Dark');
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset.mantineColorScheme)).toBe('dark');
    await page.locator('body').press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Everywhere').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // Outside an application, a request can be found by its request id.
    await page.goto(`${server.url}/portal`);
    await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor();
    await choose(refused.headers.get('x-request-id') ?? '', /POST \/api\/user_options/);
    await page.waitForURL(`**/applications/${clientId}/requests?request=*`);
    expect(pageErrors).toEqual([]);
  });

  test('shows what needs attention until it was seen', async () => {
    const { server } = portal;
    const { application } = await withCatalog(server);
    const path = `/applications/${application.clientId}`;
    const manage = await manageWith(server);
    await manage.send('POST', `${path}/secrets`, { overlap: '24h' });
    await manage.send('POST', `${path}/catalog/groups?draft=true`, { name: 'later' }, { 'if-match': '*' });
    const { page, pageErrors } = await portal.enter(path);
    await page.getByRole('button', { name: 'Notifications: 2 new' }).click();
    await page.getByRole('link', { name: /^A secret expires soon/ }).waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: /^Unpublished changes/ }).click();
    await page.getByRole('heading', { name: 'Catalog', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Notifications', exact: true }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('offers to reload when a part of it is gone, as after an upgrade', async () => {
    const { page } = await portal.enter();
    await page.route('**/assets/shortcuts-dialog*', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'The portal was updated' }).waitFor();
    await expectAccessible(page);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Applications', level: 1 }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
  });

  test('an application that does not exist looks like one without permission', async () => {
    const { page } = await portal.enter('/applications/9_nowhere/catalog');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });
});

describe('the files of the portal', () => {
  test('are cached forever, except the page; nothing else is served', async () => {
    const page = await portal.server.send('GET', '/portal/applications/1_x/catalog');
    expect(page.status).toBe(200);
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(page.headers.get('content-security-policy')).not.toMatch(/unsafe|\*|http/);
    const [, base] = /<base href="([^"]+)"/.exec(page.text) ?? [];
    expect(base).toBe('./../../');
    const [, script] = /src="\.\/(assets\/[^"]+\.js)"/.exec(page.text) ?? [];
    const file = await portal.server.send('GET', `/portal/${script}`);
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    for (const path of ['/portal/assets/none.js', '/portal/assets/..%2Findex.html', '/portal/assets/constructor']) {
      expect((await portal.server.send('GET', path)).json.code, path).toBe('9404');
    }
  });

  test.for(['en-GB', 'de-DE', 'es-ES', 'hu-HU'])(
    'the first view in %s takes less than 250 kB, compressed, with its data: also signed in, and of an application',
    async (locale) => {
      const { clientId } = await portal.server.application();
      const own = { locale };
      for (const { page } of [
        await portal.visit('/portal/sign-in', own),
        await portal.enter('', own),
        await portal.enter(`/applications/${clientId}`, own),
      ]) {
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        // With 300 bytes for each header.
        const sum = await page.evaluate(() => {
          const loaded = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type));
          return loaded.reduce((all, each) => all + (each as PerformanceResourceTiming).transferSize, 0);
        });
        expect(sum, page.url()).toBeGreaterThan(50_000);
        expect(sum, page.url()).toBeLessThan(250_000);
      }
    },
  );
});

/** Records the themes of a page, from now until one second after the first change. */
async function themesTaken(page: Page): Promise<() => Promise<(string | undefined)[]>> {
  const watch = await page.evaluateHandle(() => {
    const { dataset } = document.documentElement;
    const seen = [dataset.mantineColorScheme];
    const changed = new Promise<void>((resolve) => {
      new MutationObserver(() => {
        if (dataset.mantineColorScheme !== seen.at(-1)) seen.push(dataset.mantineColorScheme);
        if (seen.length === 2) resolve();
      }).observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    });
    return { seen, changed };
  });
  return () =>
    watch.evaluate(async ({ seen, changed }) => {
      await changed;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return seen.slice(1);
    });
}
