import { join } from 'node:path';
import { createSelectionStore } from '@innkeeper/client';
import { createUsersClient } from '@innkeeper/client/users';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { databases } from '../packages/server/test/databases.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { startTestServer, type TestServer, uniqueName } from '../packages/server/test/http/start.ts';
import { CATALOG } from './options-form/catalog.ts';
import { expectAxeClean, servePage } from './options-form/open-page.ts';
import type { Shown } from './options-form/page.tsx';
import { ownBrowser } from './portal.ts';

let service: TestServer;
let pages: Awaited<ReturnType<typeof servePage>>;
let browser: Browser;
const open: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  [service, pages, browser] = await Promise.all([
    startTestServer((await databases[0]?.fresh()) as string),
    servePage(),
    ownBrowser(),
  ]);
});
afterEach(async () => {
  for (const window of open.splice(0)) await window.close();
});
afterAll(async () => {
  await browser?.close();
  await pages?.close();
  await service?.close();
});

/** Opens the form for a new user; `tokens` answers the page's requests for access tokens. */
async function openForm(
  prepare: (page: Page) => Promise<unknown> = async () => {},
  shown: Shown = {},
  { origin }: { origin: string } = pages,
) {
  const shop = await withCatalog(service, CATALOG, { allowedOrigins: [origin] });
  const users = createUsersClient({ baseUrl: service.url, ...shop.application });
  const user = { clientUserId: uniqueName(), clientUserName: 'Ada' };
  const { access_token, service_user_code } = await users.signIn(user);
  const options = users.optionsOf(service_user_code);
  const tokens = { requested: 0, next: async () => access_token };
  const window = await browser.newContext({ locale: 'en-GB' });
  open.push(window);
  const page = await window.newPage();
  const pageErrors: string[] = [];
  page.on('pageerror', ({ message }) => pageErrors.push(message));
  await page.exposeFunction('nextToken', () => {
    tokens.requested++;
    return tokens.next();
  });
  const connection = { baseUrl: service.url, apiKey: shop.application.clientId, group: 'all' };
  await page.addInitScript((given) => Object.assign(globalThis, given), { connection, shown });
  await prepare(page);
  // Wait until this process has noticed the new setting: only then are other origins allowed.
  const headers = { origin: origin };
  await expect
    .poll(async () => (await shop.get('/api/option_groups', headers)).headers.get('access-control-allow-origin'))
    .toBe(origin);
  await page.goto(origin);
  const saved = async () =>
    Object.fromEntries((await options.selections().all()).map(({ option }) => [option.name, option.value]));
  /** What other components on the page see. */
  const held = async () => JSON.parse(await page.locator('pre').innerText()) as Record<string, unknown>;
  const show = (change: Shown) => page.evaluate((next) => globalThis.show(next), change);
  const saves: string[] = [];
  page.on('request', (request) => {
    if (['POST', 'DELETE'].includes(request.method())) saves.push(request.postData() ?? request.method());
  });
  return { page, shop, users, user, options, tokens, access_token, saved, held, pageErrors, show, saves };
}

test('every kind of key has its control, works by keyboard and passes axe; saved values are there after a reload', async () => {
  const { page, saved, held, options, pageErrors } = await openForm();
  const newsletter = page.getByRole('switch', { name: 'Newsletter' });
  await newsletter.focus();
  await page.keyboard.press('Space');
  await page.getByRole('radiogroup', { name: 'Theme' }).getByRole('radio', { name: 'Light' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('combobox', { name: 'Size' }).selectOption({ label: '5' });
  await page.getByRole('group', { name: 'Channels' }).getByRole('checkbox', { name: 'sms' }).check();
  await page.getByRole('textbox', { name: 'Volume' }).fill('7');
  await page.keyboard.press('Enter');
  await page.getByLabel('Birthday').fill('1815-12-10');
  await page.getByRole('textbox', { name: 'Motto' }).fill('Servus!');
  await page.getByRole('textbox', { name: 'Tags' }).fill('one\n\n two ');
  await newsletter.focus();
  const expected = {
    newsletter: true,
    theme: 'dark',
    size: 5,
    channels: ['email', 'sms'],
    volume: 7,
    birthday: '1815-12-10',
    motto: 'Servus!',
    tags: ['one', 'two'],
  };
  await expect.poll(saved).toEqual(expected);
  await expect.poll(held).toEqual(expected);
  await expectAxeClean(page);
  // The field of Size is outside the form, and looks like those inside.
  const borders = [page.getByRole('combobox', { name: 'Size' }), page.getByRole('textbox', { name: 'Motto' })];
  const [alone, inside] = await Promise.all(
    borders.map((control) => control.evaluate((element) => getComputedStyle(element).border)),
  );
  expect(alone).toBe(inside);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAxeClean(page);

  await options.save('all.motto', 'Servus!\nBussi!');
  await page.reload();
  await expect.poll(() => newsletter.isChecked()).toBe(true);
  await expect.poll(() => page.getByRole('textbox', { name: 'Tags' }).inputValue()).toBe('one\ntwo');
  expect(await page.getByRole('radiogroup', { name: 'Theme' }).getByRole('radio').count()).toBe(2);
  // Nothing is said about a saved value, and nothing keeps a space for it.
  const channels = page.getByRole('group', { name: 'Channels' });
  const edges = [channels, channels.getByRole('button')].map(async (part) => (await part.boundingBox())?.x);
  const [edge, reset] = await Promise.all(edges);
  expect(reset).toBe(edge);
  // A single-line field would drop the line break.
  const motto = page.getByRole('textbox', { name: 'Motto' });
  expect(await motto.inputValue()).toBe('Servus!\nBussi!');
  await motto.fill('Servus!\nBaba!');

  // Clearing a field restores the default, if there is one.
  await page.getByRole('textbox', { name: 'Volume' }).fill('');
  const birthday = page.getByLabel('Birthday');
  await birthday.focus();
  await page.keyboard.press('Backspace');
  await newsletter.focus();
  await page.getByRole('alert').getByText('The date is not complete.').waitFor();
  await page.getByRole('combobox', { name: 'Size' }).selectOption({ label: '4' });
  await expect.poll(saved).toMatchObject({ size: 4, birthday: '1815-12-10' });
  await birthday.fill('');
  await newsletter.focus();
  await expect.poll(() => page.getByRole('alert').count()).toBe(0);
  const { volume: _volume, birthday: _birthday, ...rest } = expected;
  await expect.poll(saved).toEqual({ ...rest, size: 4, motto: 'Servus!\nBaba!' });
  await expect.poll(() => page.getByRole('textbox', { name: 'Volume' }).inputValue()).toBe('5');
  expect(pageErrors).toEqual([]);
});

test('labels use the chosen language, including right-to-left, and input stays', async () => {
  const { page, saved, pageErrors, show } = await openForm();
  await page.getByRole('form', { name: 'Settings' }).waitFor();
  await page.getByRole('textbox', { name: 'Motto' }).fill('not yet left');
  await page.evaluate(() => [...document.querySelectorAll('button')].find((each) => each.innerText === 'ar')?.click());
  const form = page.getByRole('form', { name: 'الإعدادات' });
  await form.waitFor();
  await page.getByRole('switch', { name: 'النشرة الإخبارية' }).waitFor();
  expect(await form.getAttribute('dir')).toBe('rtl');
  expect(await form.getAttribute('lang')).toBe('ar');
  expect(await page.getByRole('textbox', { name: 'Motto' }).inputValue()).toBe('not yet left');
  await page.getByText('اختر من 1 إلى 2').waitFor();
  await expectAxeClean(page);
  const [label, control] = await Promise.all(
    ['.innkeeper-label', 'input[role=switch]'].map((each) => form.locator(each).first().boundingBox()),
  );
  expect(control?.x).toBeGreaterThan(label?.x ?? 0);
  // Unmounting a field counts as leaving it.
  expect(await saved()).toEqual({});
  await show({ isShown: false });
  await expect.poll(saved).toEqual({ motto: 'not yet left' });
  await show({ isShown: true });
  await page.getByRole('button', { name: 'de', exact: true }).click();
  await page.getByRole('radiogroup', { name: 'Farbschema' }).getByRole('radio', { name: 'Dunkel' }).waitFor();
  expect(pageErrors).toEqual([]);
});

test("errors from the service appear in the form's language beside the input; invalid input is not sent", async () => {
  const { page, saved, held, options } = await openForm();
  const volume = page.getByRole('textbox', { name: 'Volume' });
  await volume.fill('11');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Must be at most 10.').waitFor();
  expect(await volume.inputValue()).toBe('11');
  expect(await volume.getAttribute('aria-invalid')).toBe('true');
  await expect.poll(held).toMatchObject({ volume: 5 });
  await expectAxeClean(page);
  await page.getByRole('button', { name: 'de', exact: true }).click();
  await page.getByRole('alert').getByText('Darf höchstens 10 sein.').waitFor();
  await page.getByRole('button', { name: 'en', exact: true }).click();
  await page.getByRole('textbox', { name: 'Volume' }).waitFor();
  await volume.fill('loud');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('This is not a number.').waitFor();

  const channels = page.getByRole('group', { name: 'Channels' });
  await channels.getByRole('checkbox', { name: 'email' }).uncheck();
  await channels.getByRole('alert').getByText('Choose 1 to 2').waitFor();
  expect(await channels.getByRole('checkbox', { name: 'email' }).getAttribute('aria-invalid')).toBe('true');
  await expectAxeClean(page);
  await channels.getByRole('checkbox', { name: 'push' }).check();
  await expect.poll(saved).toEqual({ channels: ['push'] });
  expect(await volume.inputValue()).toBe('loud');

  // A user who has a retired value keeps seeing it, and `save` has the same rules as the form.
  await expect(options.save('all.theme', 'sepia')).rejects.toMatchObject({ code: '1008' });
});

test('a choice is shown on click, before the service or the list of selections has it', async () => {
  const { page, saved } = await openForm();
  const channels = page.getByRole('group', { name: 'Channels' });
  await channels.getByRole('checkbox', { name: 'email' }).uncheck();
  const isShown = await channels.getByRole('checkbox', { name: 'push' }).evaluate((box: HTMLInputElement) => {
    box.click();
    return box.checked;
  });
  expect(isShown).toBe(true);
  await expect.poll(saved).toEqual({ channels: ['push'] });
});

test('a field that is cleared while typing stays cleared', async () => {
  const { page, options, saved, saves } = await openForm();
  await options.saveAll({ 'all.motto': 'Servus', 'all.volume': 3 });
  await page.reload();
  for (const [label, typed, button, shown] of [
    ['Motto', 'Baba', 'Clear', ''],
    ['Volume', '9', 'Back to default', '5'],
  ] as const) {
    const field = page.getByRole('textbox', { name: label });
    await field.fill(typed);
    await page.getByRole('button', { name: button }).click();
    await expect.poll(() => field.inputValue()).toBe(shown);
  }
  await expect.poll(saved).toEqual({});
  await page.waitForTimeout(100);
  expect(saves).toEqual(['DELETE', 'DELETE']);
});

test('a single field says when nothing can be loaded, and can retry', async () => {
  let failed = 0;
  const told: string[] = [];
  const { page } = await openForm((opened) => {
    opened.on('console', (message) => told.push(message.text()));
    return opened.route('**/api/option_keys?*', async (route) => {
      await route.abort();
      failed++;
    });
  });
  const alone = page.locator('main > [role=alert]');
  await alone.getByText('This could not be loaded.').waitFor();
  // Following changes begins with one more read; its failure must not replace the "Try again" button.
  await expect.poll(() => failed).toBeGreaterThanOrEqual(2);
  expect(await page.getByText('Loading…').count()).toBe(0);
  expect(told.filter((text) => text.startsWith('Innkeeper could not load the options:'))).toHaveLength(1);
  await page.unroute('**/api/option_keys?*');
  await alone.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('combobox', { name: 'Size' }).waitFor();
});

test('a lost connection loses no input; a choice reverts and can be retried', async () => {
  const { page, saved, held } = await openForm();
  const motto = page.getByRole('textbox', { name: 'Motto' });
  await motto.waitFor();
  await page.context().setOffline(true);
  await motto.fill('typed in a tunnel');
  await page.keyboard.press('Enter');
  const newsletter = page.getByRole('switch', { name: 'Newsletter' });
  await newsletter.click();
  await expect.poll(() => page.getByRole('alert').getByText('Not saved.').count()).toBe(2);
  await expect.poll(() => newsletter.isChecked()).toBe(false);
  expect(await motto.inputValue()).toBe('typed in a tunnel');
  await expect.poll(held).toMatchObject({ newsletter: false });
  // Switching to a language that cannot be loaded loses no input either.
  await page.getByRole('button', { name: 'de', exact: true }).click();
  await page.getByRole('alert').getByText('Das konnte nicht geladen werden.').waitFor();
  expect(await motto.inputValue()).toBe('typed in a tunnel');
  await page.getByRole('button', { name: 'en', exact: true }).click();
  await page.context().setOffline(false);
  await expect.poll(() => page.getByRole('button', { name: 'Try again' }).count()).toBe(2);
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await expect.poll(() => page.getByRole('button', { name: 'Try again' }).count()).toBe(1);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(saved).toEqual({ motto: 'typed in a tunnel', newsletter: true });
  await expect.poll(() => newsletter.isChecked()).toBe(true);
});

test('a choice is shown before the service has responded', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { page, saved, held } = await openForm((opened) =>
    opened.route('**/api/user_options', async (route) => {
      if (route.request().method() === 'POST') await released;
      await route.continue();
    }),
  );
  await page.getByRole('switch', { name: 'Newsletter' }).click();
  await page.getByText('Saving…').waitFor();
  await expect.poll(held).toMatchObject({ newsletter: true });
  expect(await saved()).toEqual({});
  release();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await saved()).toEqual({ newsletter: true });

  // Enter, then Tab while the save is in flight: if it fails, the input stays in its field.
  let fail = () => {};
  const failed = new Promise<void>((resolve) => {
    fail = resolve;
  });
  await page.route('**/api/user_options', async (route) => {
    await failed;
    await route.abort();
  });
  const motto = page.getByRole('textbox', { name: 'Motto' });
  await motto.fill('typed once');
  await motto.press('Enter');
  await page.getByText('Saving…').waitFor();
  await motto.press('Enter');
  await motto.press('Tab');
  fail();
  await page.getByRole('alert').getByText('Not saved.').waitFor();
  expect(await motto.inputValue()).toBe('typed once');
});

test('when the token expires, the page is asked for a new one; without one, the input stays', async () => {
  // A page that follows changes would request a token by itself.
  const { page, users, user, tokens, access_token, saved, show } = await openForm(undefined, { live: false });
  const motto = page.getByRole('textbox', { name: 'Motto' });
  await motto.waitFor();
  await users.revoke(access_token);
  const requestedBefore = tokens.requested;
  tokens.next = () => Promise.reject(new Error('signed out'));
  await motto.fill('typed after hours');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('Not saved.').waitFor();
  expect(await motto.inputValue()).toBe('typed after hours');
  expect(tokens.requested).toBe(requestedBefore + 1);
  tokens.next = async () => (await users.signIn(user)).access_token;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(saved).toEqual({ motto: 'typed after hours' });

  // With the token as a prop instead of a callback, a retry uses the token of that moment.
  const give = async () => {
    const { access_token: given } = await users.signIn(user);
    await show({ token: given });
    return given;
  };
  await users.revoke(await give());
  await motto.fill('typed even later');
  await page.keyboard.press('Enter');
  const again = page.locator('.innkeeper-field').getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await give();
  await again.click();
  await expect.poll(saved).toEqual({ motto: 'typed even later' });
});

test('an archived key says so and keeps the input; an unknown value type is read-only', async () => {
  const { page, shop, saved, pageErrors } = await openForm((opened) =>
    opened.route('**/api/option_keys?*', async (route) => {
      const response = await route.fetch();
      if (response.status() === 304) return route.fulfill({ response });
      const body = (await response.json()) as { items: { name: string; value_type: string }[] };
      for (const key of body.items) if (key.name === 'size') key.value_type = 'colour';
      await route.fulfill({ response, json: body });
    }),
  );
  await page.getByText('This cannot be changed here.').waitFor();
  const motto = page.getByRole('textbox', { name: 'Motto' });
  const [group] = CATALOG.groups ?? [];
  await shop.publish({
    ...CATALOG,
    groups: [{ name: 'all', keys: group?.keys?.filter((key) => key.name !== 'motto') }],
  } as never);
  let sent = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST') sent++;
  });
  await motto.fill('too late');
  await expect
    .poll(async () =>
      ((await shop.get('/api/option_keys')).json.items as { name: string }[]).some((key) => key.name === 'motto'),
    )
    .toBe(false);
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('This setting is no longer available.').waitFor();
  expect(await motto.inputValue()).toBe('too late');
  await expect.poll(() => motto.isDisabled()).toBe(true);
  // Reading the catalog again does not change that.
  await page.getByRole('button', { name: 'de', exact: true }).click();
  await page.getByRole('switch', { name: 'Rundbrief' }).waitFor();
  expect(await motto.inputValue()).toBe('too late');
  expect(await saved()).toEqual({});
  expect(sent).toBe(1);
  expect(pageErrors).toEqual([]);
});

test("findings 1 and 2: sign-in after page load, a renewed token, and another user who sees none of the first user's data", async () => {
  const { page, users, user, options, saved, show, pageErrors } = await openForm(undefined, { userId: undefined });
  await page.getByText('Loading…').first().waitFor();
  await options.save('all.motto', 'of Ada');
  const sign = async (who: typeof user) => (await users.signIn(who)).access_token;
  await show({ userId: 'ada', token: await sign(user) });
  const motto = page.getByRole('textbox', { name: 'Motto' });
  await expect.poll(() => motto.inputValue()).toBe('of Ada');

  await show({ token: await sign(user) });
  const newsletter = page.getByRole('switch', { name: 'Newsletter' });
  for (const isOn of [true, false]) {
    await newsletter.click();
    await expect.poll(saved).toMatchObject({ newsletter: isOn });
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await newsletter.isChecked()).toBe(isOn);
  }

  await motto.fill('typed by Ada');
  const eve = { clientUserId: uniqueName(), clientUserName: 'Eve' };
  await show({ userId: 'eve', token: await sign(eve) });
  await expect.poll(() => motto.inputValue()).toBe('');
  await expect.poll(saved).toMatchObject({ motto: 'typed by Ada' });
  await motto.fill('of Eve');
  await motto.press('Enter');
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await saved()).toMatchObject({ motto: 'typed by Ada' });
  expect(pageErrors).toEqual([]);
});

test('what a server loaded for one user is not shown to the next', async () => {
  const { page, users, options, show } = await openForm();
  const motto = page.getByRole('textbox', { name: 'Motto' });
  await motto.waitFor();
  await show({ userId: undefined });
  await page.getByText('Loading…').first().waitFor();
  await options.save('all.motto', 'of Ada');
  const store = createSelectionStore(options, { userId: 'ada' });
  await store.refresh();
  // No selections arrive from here on, so the page can only show what it was given.
  await page.route('**/api/user_options?*', () => {});
  await show({ userId: 'ada', data: store.data() });
  await expect.poll(() => motto.inputValue()).toBe('of Ada');
  const { access_token } = await users.signIn({ clientUserId: uniqueName(), clientUserName: 'Eve' });
  await show({ userId: 'eve', token: access_token });
  await page.getByText('Loading…').first().waitFor();
});

test('findings 3 and 4: an incomplete date is never saved; a remounted field shows what is being saved', async () => {
  const { page, options, saved, show, saves } = await openForm();
  await options.save('all.birthday', '1815-12-10');
  await page.reload();
  const birthday = page.getByLabel('Birthday');
  await expect.poll(() => birthday.inputValue()).toBe('1815-12-10');
  await birthday.focus();
  await page.keyboard.press('Backspace');
  await show({ isShown: false });
  await show({ isShown: true });
  await birthday.waitFor();
  expect(saves).toEqual([]);

  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/user_options', async (route) => {
    await released;
    await route.continue();
  });
  const channels = page.getByRole('group', { name: 'Channels' });
  await channels.getByRole('checkbox', { name: 'sms' }).check();
  await page.getByText('Saving…').waitFor();
  await show({ isShown: false });
  await show({ isShown: true });
  await page.getByText('Saving…').waitFor();
  expect(await channels.getByRole('checkbox', { name: 'sms' }).isChecked()).toBe(true);
  await channels.getByRole('checkbox', { name: 'email' }).uncheck();
  release();
  await expect.poll(saved).toEqual({ birthday: '1815-12-10', channels: ['sms'] });
  await page.getByText('Saved', { exact: true }).waitFor();
});

test('finding 5: a response that the browser cannot read is followed by a read, and the earlier value counts as a change', async () => {
  const { page, saved } = await openForm(undefined, { live: false });
  const volume = page.getByRole('textbox', { name: 'Volume' });
  await page.route(
    '**/api/user_options',
    async (route) => {
      const response = await route.fetch();
      const { 'access-control-allow-origin': _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    },
    { times: 1 },
  );
  await volume.fill('9');
  await volume.press('Enter');
  await page.getByText('Saved', { exact: true }).waitFor();
  expect([await volume.inputValue(), await saved()]).toEqual(['9', { volume: 9 }]);
  await volume.fill('5');
  await volume.press('Enter');
  await expect.poll(saved).toEqual({ volume: 5 });
});

test('finding 6: a click after returning to the page keeps the read in progress', async () => {
  const { page, saved, options } = await openForm(undefined, { live: false });
  const volume = page.getByRole('textbox', { name: 'Volume' });
  await volume.waitFor();
  await options.save('all.volume', 8);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/user_options?*', async (route) => {
    await released;
    await route.continue();
  });
  const request = page.waitForRequest(
    (request) => request.method() === 'GET' && request.url().includes('/api/user_options?'),
  );
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await request;
  await page.getByRole('switch', { name: 'Newsletter' }).click();
  await expect.poll(saved).toEqual({ volume: 8, newsletter: true });
  release();
  await expect.poll(() => volume.inputValue()).toBe('8');
  expect(await page.getByRole('switch', { name: 'Newsletter' }).isChecked()).toBe(true);
});

test('finding 6: a message waits until the pointer is up, and leaving the page saves the input', async () => {
  const { page, saved } = await openForm();
  const volume = page.getByRole('textbox', { name: 'Volume' });
  await volume.fill('loud');
  const german = await page.getByRole('button', { name: 'de', exact: true }).boundingBox();
  await page.mouse.move((german?.x ?? 0) + 3, (german?.y ?? 0) + 3);
  await page.mouse.down();
  await expect.poll(() => volume.evaluate((field) => field === document.activeElement)).toBe(false);
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.mouse.up();
  await page.getByRole('alert').getByText('Das ist keine Zahl.').waitFor();

  await page.getByRole('textbox', { name: 'Motto' }).fill('typed and gone');
  expect(await page.getByLabel('unsaved').innerText()).toBe('volume motto');
  await page.goto('about:blank');
  await expect.poll(saved).toEqual({ motto: 'typed and gone' });
});

test('finding 7: one save for Enter, Tab and unmount; an unanswered question; a button that saves everything', async () => {
  const { page, saved, saves, show } = await openForm(undefined, { language: 'de' });
  const ratio = page.getByRole('textbox', { name: 'Verhältnis' });
  await ratio.fill('1,50');
  await ratio.press('Enter');
  await ratio.press('Tab');
  await show({ isShown: false });
  await expect.poll(saved).toEqual({ ratio: 1.5 });
  await show({ isShown: true });
  await expect.poll(() => ratio.inputValue()).toBe('1,5');
  expect(saves).toHaveLength(1);

  const consent = page.getByRole('radiogroup', { name: 'Einwilligung' });
  expect(await consent.getByRole('radio', { checked: true }).count()).toBe(0);
  await consent.getByText('Nicht festgelegt').waitFor();
  await consent.getByRole('radio', { name: 'Nein' }).check();
  await expect.poll(saved).toEqual({ ratio: 1.5, consent: false });
  await consent.getByRole('button', { name: 'Leeren' }).click();
  await expect.poll(saved).toEqual({ ratio: 1.5 });
  await consent.getByText('Nicht festgelegt').waitFor();
  const unprefixed = await page
    .locator('.innkeeper-form')
    .evaluate((form) =>
      ['--accent', '--border', '--error', '--gap'].map((name) => getComputedStyle(form).getPropertyValue(name)),
    );
  expect(unprefixed).toEqual(['', '', '', '']);

  await show({ saveOn: 'submit', language: 'en' });
  const sent = saves.length;
  await page.getByRole('switch', { name: 'Newsletter' }).click();
  await page.getByRole('textbox', { name: 'Motto' }).fill('all together');
  await page.getByRole('textbox', { name: 'Motto' }).blur();
  expect(await page.getByLabel('unsaved').innerText()).toBe('newsletter motto');
  expect(saves).toHaveLength(sent);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(saved).toEqual({ ratio: 1.5, newsletter: true, motto: 'all together' });
  await expect.poll(() => page.getByLabel('unsaved').innerText()).toBe('');

  // The button also retries saves that failed.
  await page.context().setOffline(true);
  await page.getByRole('textbox', { name: 'Motto' }).fill('in a tunnel');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').getByText('Not saved.').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(saved).toMatchObject({ motto: 'in a tunnel' });
});

test('long texts that are saved together are all saved', async () => {
  const { page, shop, saved } = await openForm(undefined, { saveOn: 'submit' });
  const names = Array.from({ length: 8 }, (_, at) => `text ${at}`);
  const keys = names.map((name) => ({ name, type: 'string' as const }));
  await shop.publish({ ...CATALOG, groups: [{ name: 'all', keys }] });
  await service.service.refresh();
  await page.reload();
  // 12,000 bytes each: browsers allow 64 KiB of requests that outlive the page.
  const text = '字'.repeat(4000);
  for (const name of names) await page.getByRole('textbox', { name }).fill(text);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(saved).toEqual(Object.fromEntries(names.map((name) => [name, text])));
});

test('React 18.2 in a two-year-old browser shows, saves and follows changes like the newest', async () => {
  const old = await servePage(join(import.meta.dirname, 'options-form/react-18/node_modules'));
  open.push(old);
  const withoutNews = (page: Page) =>
    page.addInitScript(() => {
      // Removes what Safari 16.4 lacks, and what older pages patch.
      for (const [owner, names] of [
        [AbortSignal, ['any', 'timeout']],
        [Intl, ['DisplayNames']],
        [Promise, ['withResolvers', 'try']],
        [Object, ['groupBy']],
        [Map, ['groupBy']],
        [URL, ['canParse', 'parse']],
        [Set.prototype, ['union', 'difference', 'intersection']],
        [Iterator.prototype, ['map', 'filter', 'toArray', 'find', 'some', 'flatMap']],
        [globalThis, ['Iterator']],
      ] as [object, string[]][]) {
        for (const name of names) Reflect.deleteProperty(owner, name);
      }
    });
  const { page, options, saved, pageErrors } = await openForm(withoutNews, {}, old);
  await page.getByRole('switch', { name: 'Newsletter' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const volume = page.getByRole('textbox', { name: 'Volume' });
  await volume.fill('loud');
  await volume.press('Enter');
  await page.getByRole('alert').getByText('This is not a number.').waitFor();
  await volume.fill('7');
  await volume.press('Enter');
  await expect.poll(saved).toEqual({ newsletter: true, volume: 7 });
  await options.save('all.volume', 8);
  await expect.poll(() => volume.inputValue()).toBe('8');
  await page.getByRole('button', { name: 'ar', exact: true }).click();
  await expect.poll(() => page.locator('form').getAttribute('dir')).toBe('rtl');
  expect(pageErrors).toEqual([]);
  expect(await page.locator('#root').getAttribute('data-react')).toBe('18.2.0');
});

test('changes saved on another device appear', async () => {
  const { page, options } = await openForm();
  const newsletter = page.getByRole('switch', { name: 'Newsletter' });
  await expect.poll(() => newsletter.isChecked()).toBe(false);
  await options.save('all.newsletter', true);
  await expect.poll(() => newsletter.isChecked()).toBe(true);
  await page.getByRole('combobox', { name: 'Size' }).selectOption({ label: '5' });
  await options.save('all.volume', 8);
  await expect.poll(() => page.getByRole('textbox', { name: 'Volume' }).inputValue()).toBe('8');
});
