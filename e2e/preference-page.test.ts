import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { CatalogFile } from '../packages/server/src/domain/catalog/file-schema.ts';
import { databases } from '../packages/server/test/databases.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { values } from '../packages/server/test/http/options/test-user.ts';
import { basic, bearer, makeSignedInUser } from '../packages/server/test/http/start.ts';
import { expectAccessible, expectFocus, openPortal } from './portal.ts';

const CATALOG: CatalogFile = {
  languages: [
    { name: 'English', tag: 'en', default: true },
    { name: 'العربية', tag: 'ar' },
    { name: 'Deutsch', tag: 'de' },
  ],
  groups: [
    {
      name: 'mail',
      translations: { English: 'E-mail', العربية: 'البريد الإلكتروني', Deutsch: 'E-Mail' },
      descriptions: { English: 'What we send to you.', العربية: 'ما نرسله إليك.' },
      keys: [
        {
          name: 'newsletter',
          type: 'boolean',
          default: true,
          translations: { English: 'Newsletter', العربية: 'النشرة الإخبارية', Deutsch: 'Rundbrief' },
          descriptions: { English: 'Once a month, never more.', العربية: 'مرة واحدة في الشهر.' },
        },
        {
          name: 'topics',
          type: 'string',
          multiple: true,
          max: 2,
          translations: { English: 'Topics', العربية: 'المواضيع', Deutsch: 'Themen' },
          values: [
            { value: 'news', translations: { English: 'News', العربية: 'أخبار', Deutsch: 'Neues' } },
            { value: 'offers', translations: { English: 'Offers', العربية: 'عروض', Deutsch: 'Angebote' } },
            { value: 'events', translations: { English: 'Events', العربية: 'فعاليات', Deutsch: 'Termine' } },
          ],
        },
        {
          name: 'frequency',
          type: 'string',
          default: 'weekly',
          translations: { English: 'How often', العربية: 'كم مرة', Deutsch: 'Wie oft' },
          values: [
            { value: 'daily', translations: { English: 'Every day', العربية: 'كل يوم', Deutsch: 'Täglich' } },
            { value: 'weekly', translations: { English: 'Every week', العربية: 'كل أسبوع', Deutsch: 'Wöchentlich' } },
          ],
        },
      ],
    },
    {
      name: 'about',
      translations: { English: 'About you', العربية: 'عنك', Deutsch: 'Über Sie' },
      keys: [
        {
          name: 'size',
          type: 'integer',
          translations: { English: 'Items on a page', العربية: 'العناصر في الصفحة', Deutsch: 'Einträge je Seite' },
          constraint: { min: 10, max: 50, step: 10 },
        },
        { name: 'birthday', type: 'date', translations: { English: 'Birthday', العربية: 'تاريخ الميلاد' } },
        {
          name: 'motto',
          type: 'string',
          translations: { English: 'Motto', العربية: 'شعار' },
          constraint: { max_length: 40 },
        },
        { name: 'notes', type: 'string', translations: { English: 'Notes', العربية: 'ملاحظات' } },
        { name: 'tags', type: 'string', multiple: true, translations: { English: 'Tags', العربية: 'وسوم' } },
        { name: 'days', type: 'integer', multiple: true, translations: { English: 'Days' }, values: [1, 2, 3] },
        { name: 'hour', type: 'integer', translations: { English: 'Hour' }, values: [6, 8, 10, 12, 14, 16, 18, 20] },
      ],
    },
  ],
};

const portal = openPortal(databases[0] as (typeof databases)[0]);

async function makeReader() {
  const { server } = portal;
  const shop = await withCatalog(server, CATALOG);
  const { userCode, accessToken } = await makeSignedInUser(server, shop.application);
  const made = await server.post(
    `/api/v2/app/${shop.application.clientId}/users/${userCode}/preference-link`,
    { unsubscribe: { 'mail.newsletter': [false] } },
    basic(shop.application),
  );
  const { url, list_unsubscribe } = made.json as Record<string, string>;
  const pathOf = (text = '') => text.replaceAll(/[<>]/g, '').slice(server.url.length);
  const saved = async () => values((await shop.get('/api/user_options', bearer(accessToken))).json);
  return { page: pathOf(url), unsubscribe: pathOf(list_unsubscribe), saved };
}

const DEVICES = {
  desktop: { viewport: { width: 1280, height: 900 } },
  phone: { viewport: { width: 380, height: 760 } },
} satisfies Record<string, BrowserContextOptions>;

/** Writes screenshots into the folder PREFERENCE_SHOTS, for a visual check. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.PREFERENCE_SHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

test.each([true, false])('the page saves changes (scripts: %s)', async (javaScriptEnabled) => {
  const { page: path, saved } = await makeReader();
  const { page, pageErrors } = await portal.visit(path, { javaScriptEnabled, ...DEVICES.phone });
  let loads = 0;
  page.on('load', () => loads++);
  await page.getByLabel('Newsletter').uncheck();
  await page.getByLabel('News', { exact: true }).check();
  await page.getByLabel('Offers').check();
  await page.getByLabel('Events').check();
  await page.getByLabel('Every day').check();
  await page.getByLabel('Items on a page').fill('20');
  await page.getByLabel('Tags, entry 1').fill('one & two');
  await page.getByLabel('Hour').selectOption('8');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.locator('.error').allTextContents()).toEqual(['Choose at most 2.']);
  // Nothing is saved, and no input is lost.
  expect(await saved()).toEqual([]);
  expect(await page.getByLabel('Items on a page').inputValue()).toBe('20');
  await shoot(page, `refused-${javaScriptEnabled ? 'scripts' : 'plain'}`);

  await page.getByLabel('Events').uncheck();
  if (javaScriptEnabled) {
    // Switching the language keeps the input.
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { name: 'Ihre Einstellungen' }).waitFor();
    expect(await page.getByLabel('Einträge je Seite').inputValue()).toBe('20');
    await page.getByRole('button', { name: 'Speichern' }).click();
  } else await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').waitFor();
  expect(await saved()).toEqual([
    ['newsletter', false],
    ['topics', ['news', 'offers']],
    ['frequency', 'daily'],
    ['size', 20],
    ['tags', ['one & two']],
    ['hour', 8],
  ]);
  if (javaScriptEnabled) expect(loads).toBe(0);
  expect(pageErrors).toEqual([]);
});

test('a failed request keeps the form and what was typed', async () => {
  const { page: path, saved } = await makeReader();
  const { page, pageErrors } = await portal.visit(path);
  const withoutForm = await portal.server.send('GET', '/p/nothing', {});
  const failures = [
    { status: 429, contentType: 'text/html', body: withoutForm.text },
    { status: 503, contentType: 'application/json', body: '{"error":"serviceUnavailable"}' },
    { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' },
    undefined,
  ];
  const motto = page.getByLabel('Motto');
  await motto.fill('Hello');
  const note = page.getByRole('alert').filter({ hasText: 'Please try again later' });
  for (const failure of failures) {
    for (const control of [page.getByRole('button', { name: 'Save' }), page.getByRole('link', { name: 'Deutsch' })]) {
      await page.evaluate(() => document.querySelector('.note')?.remove());
      await page.route('**/p/*', (route) => (failure ? route.fulfill(failure) : route.abort()), { times: 1 });
      await control.click();
      await note.waitFor();
      await expectFocus(note);
      expect(await motto.inputValue()).toBe('Hello');
    }
  }
  expect(pageErrors.filter((each) => !each.includes('Failed to load resource'))).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').waitFor();
  expect(await note.count()).toBe(0);
  expect(await saved()).toEqual([['motto', 'Hello']]);
  // If the link no longer works, the error page replaces the form.
  await page.route('**/p/*', (route) => route.fulfill({ ...failures[0], status: 404 }), { times: 1 });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'This link is not valid' }).waitFor();
});

test('a switch of language carries over only what was changed', async () => {
  const { page: path, saved } = await makeReader();
  const { page, pageErrors } = await portal.visit(`${path}?language=de`);
  await page.getByLabel('Motto').fill('Hallo');
  await page.getByLabel('Notes').fill('eins\nzwei');
  await page.getByLabel('Tags, Eintrag 1').fill('rot');
  await page.getByLabel('Neues').check();
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByRole('status').waitFor();
  await page.goto(`${portal.server.url}${path}?language=en`);
  await page.getByLabel('Motto').fill('Hello');
  await page.getByLabel('Notes').fill('one\ntwo');
  await page.getByLabel('Tags, entry 1').fill('red');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').waitFor();

  await page.getByLabel('News', { exact: true }).uncheck();
  await page.getByLabel('Notes').fill('');
  await page.getByRole('link', { name: 'Deutsch' }).click();
  await page.getByRole('heading', { name: 'Ihre Einstellungen' }).waitFor();
  expect(await page.getByLabel('Motto').inputValue()).toBe('Hallo');
  expect(await page.getByLabel('Tags, Eintrag 1').inputValue()).toBe('rot');
  expect(await page.getByLabel('Notes').inputValue()).toBe('');
  expect(await page.getByLabel('Neues').isChecked()).toBe(false);
  await page.getByLabel('Notes').fill('eins\nzwei');
  await page.getByLabel('Neues').check();
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Nichts zu speichern').waitFor();
  expect(await saved()).toContainEqual(['motto', 'Hello']);
  expect(pageErrors).toEqual([]);
});

test('nothing can be typed while the page saves', async () => {
  const { page: path, saved } = await makeReader();
  const { page, pageErrors } = await portal.visit(path);
  const saving = Promise.withResolvers<void>();
  await page.route('**/p/*', async (route) => {
    await saving.promise;
    await route.continue();
  });
  const motto = page.getByLabel('Motto');
  await motto.fill('Hello');
  await motto.press('Enter');
  await page.locator('main[aria-busy=true]').waitFor();
  await page.keyboard.type(' there');
  expect(await motto.inputValue()).toBe('Hello');
  saving.resolve();
  await page.getByRole('status').waitFor();
  await motto.press('End');
  await page.keyboard.type('!');
  expect(await motto.inputValue()).toBe('Hello!');
  expect(await saved()).toEqual([['motto', 'Hello']]);
  expect(pageErrors).toEqual([]);
});

test('it is accessible: axe, keyboard, right-to-left, any screen size', async () => {
  const { page: path, unsubscribe, saved } = await makeReader();
  const { page, pageErrors } = await portal.visit(path, DEVICES.desktop);
  await expectAccessible(page);
  for (const [name, { viewport }] of Object.entries(DEVICES)) {
    await page.setViewportSize(viewport);
    // The themes are compared by eye.
    for (const colorScheme of process.env.PREFERENCE_SHOTS ? (['light', 'dark'] as const) : (['light'] as const)) {
      await page.emulateMedia({ colorScheme });
      await page.goto(portal.server.url + path);
      await shoot(page, `${name}-${colorScheme}`);
      await page.goto(`${portal.server.url}${path}?language=ar`);
      expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl');
      // Text that falls back to another language has that language's direction, but the same alignment as the rest.
      const blocks = page.locator('h2, legend, .hint, .error');
      const directions = await blocks.evaluateAll((all) => all.map((each) => getComputedStyle(each).direction));
      expect([...new Set(directions)]).toEqual(['rtl']);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
      await shoot(page, `${name}-${colorScheme}-arabic`);
    }
  }
  await expectAccessible(page);
  await page.goto(portal.server.url + unsubscribe);
  await expectAccessible(page);
  await shoot(page, 'unsubscribe');
  expect(await saved()).toEqual([]);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('status').waitFor();
  expect(await saved()).toEqual([['newsletter', false]]);
  await shoot(page, 'unsubscribed');
  await page.goto(`${portal.server.url}/p/nothing`);
  await expectAccessible(page);
  await shoot(page, 'invalid');
  expect(pageErrors.filter((each) => !each.includes('404'))).toEqual([]);
});
