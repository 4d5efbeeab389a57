import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { postgres } from '../packages/server/test/databases.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { bearer, makeSignedInUser } from '../packages/server/test/http/start.ts';
import { download, expectAccessible, expectFits, expectFocus, expectHeld, openPortal } from './portal.ts';

const exportAs = (page: Page, format: string, place: Page | Locator = page) =>
  download(page, async () => {
    await place.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: format }).click();
  });

const PAYLOAD = '<img src=x onerror="document.title=`broken`">';

describe('the users room', () => {
  const portal = openPortal(postgres);

  const fill = async () => {
    const { server } = portal;
    const shop = await withCatalog(server);
    const { clientId, clientSecret } = shop.application;
    const add = (clientUserId: string, clientUserName: string) =>
      server.post('/api/v2/app/create-user', { clientId, clientSecret, clientUserId, clientUserName });
    await add('zoe@example.com', PAYLOAD);
    await add('"><script>alert(1)</script>', '{{constructor}} {{t}}');
    const ada = await makeSignedInUser(server, shop.application, 'ada@example.com');
    const save = async (name: string, value: unknown[]) => {
      const headers = { ...shop.apiKey, ...bearer(ada.accessToken) };
      const saved = await server.post('/api/user_options', await shop.choice(name, value), headers);
      expect(saved.status).toBeLessThan(300);
    };
    await save('fruit', ['apricot']);
    await save('fruit', ['cherry', 'apple']);
    return { clientId, ada, add, save };
  };

  test('are found, and their names are always shown as text', async () => {
    const { clientId, ada, add } = await fill();
    const [longId, longName] = ['i'.repeat(240), 'n'.repeat(200)];
    await add(longId, longName);
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/users`);
    await page.getByRole('link', { name: PAYLOAD }).waitFor();
    await page.getByText('{{constructor}} {{t}}').waitFor();
    // A long name takes no space from the others, and can be read in full.
    const heightOf = (text: Locator) => text.evaluate((each) => each.getBoundingClientRect().height);
    expect(await heightOf(page.getByText(ada.userCode))).toBeLessThan(30);
    expect(await heightOf(page.getByRole('row', { name: longName }).getByRole('time'))).toBeLessThan(30);
    expect(await page.getByRole('link', { name: longName }).getAttribute('title')).toBe(`${longName}\n${longId}`);
    await expectAccessible(page);
    const search = page.getByRole('searchbox', { name: 'Search users' });
    await search.fill('nobody has this');
    await page.getByText('No users found').waitFor();
    // Matches any part of an id, ignoring case.
    await search.fill('DA@Example');
    await page.getByRole('link', { name: 'Test user' }).waitFor();
    expect(await page.getByRole('link', { name: PAYLOAD }).count()).toBe(0);
    await search.fill(ada.userCode);
    await page.waitForURL(`**/users?search=${ada.userCode}`);
    await page.getByRole('link', { name: 'Test user' }).click();
    await page.getByRole('heading', { name: 'Test user', level: 1 }).waitFor();
    await page.goBack();
    // The search is part of the URL.
    await expect.poll(() => search.inputValue()).toBe(ada.userCode);
    await search.fill('onerror');
    // The whole row is clickable. The link covers its cells, so the click needs `force`.
    await page.getByRole('row', { name: PAYLOAD }).getByRole('cell').last().click({ force: true });
    await page.getByRole('heading', { name: PAYLOAD, level: 1 }).waitFor();
    expect(await page.title()).not.toBe('broken');
    expect(pageErrors).toEqual([]);
  });

  test('a search among millions shows progress and results, and can be stopped', async () => {
    const { clientId, ada } = await fill();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/users`);
    await page.getByRole('link', { name: PAYLOAD }).waitFor();
    // Imitates millions of users, and a search among them, with short pages: the second has the user, the third is held.
    let held: (() => void) | undefined;
    await page.route('**/users?*count=true*', async (route) => {
      const body = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...body, total: 5_000_000 } });
    });
    await page.reload();
    await page.getByText('5,000,000 users').waitFor();
    await page.route('**/users?*search=da%40*', async (route) => {
      const url = new URL(route.request().url());
      const after = url.searchParams.get('after');
      url.searchParams.delete('after');
      const body = (await (await route.fetch({ url: url.href })).json()) as { items: unknown[] };
      const [items, searched] = [after === '1' ? body.items : [], 200_000];
      if (after === '2') await new Promise<void>((resolve) => (held = resolve));
      await route.fulfill({ json: { items, limit: 50, next: String(Number(after) + 1), searched } });
    });
    await page.getByRole('searchbox', { name: 'Search users' }).fill('da@');
    await page.getByText('400,000 users searched…').waitFor();
    await page.getByRole('link', { name: 'Test user' }).waitFor();
    await page.getByText('At least 1 user').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Continue search' }).waitFor();
    held?.();
    await page.getByRole('link', { name: 'Test user' }).click();
    await page.getByText(ada.userCode).first().waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('are shown with their effective selections, history and tokens', async () => {
    const { clientId, ada } = await fill();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/users/${ada.userCode}`);
    const rowOf = (name: string) => page.getByRole('row', { name: new RegExp(name) });
    await expect.poll(() => rowOf('fruit').innerText()).toContain('Apple, cherry');
    expect(await rowOf('vegetarian').innerText()).toContain('default');
    await expectAccessible(page);
    await rowOf('fruit')
      .getByRole('button', { name: /^What the user saw/ })
      .click();
    const seen = page.getByRole('dialog');
    await seen.getByText('Apple · Cherry', { exact: false }).waitFor();
    await seen.getByText('saved with the access token').waitFor();
    await expectAccessible(page);
    const receipt = await download(page, () => seen.getByRole('button', { name: 'Download receipt' }).click());
    expect([receipt.name, receipt.text.split('.').length]).toEqual([expect.stringMatching(/^receipt-.+\.jwt$/), 3]);
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('Apple, cherry').waitFor();
    expect(await page.getByText('saved with the access token').count()).toBe(2);
    await page.getByRole('tab', { name: 'Tokens (1)' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No active access tokens').waitFor();
    const read = { headers: { apiKey: clientId, ...bearer(ada.accessToken) } };
    expect((await portal.server.send('GET', '/api/user_options', read)).json.code).toBe('1007');
    await page.getByRole('button', { name: 'Issue special token' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Issue special token' }).click();
    await page.getByText(/^st_\d+_/).waitFor();
    const issued = page.getByRole('dialog', { name: 'New special token' });
    await expectHeld(page, issued);
    await issued.getByRole('button', { name: 'Close' }).click();
    expect(pageErrors).toEqual([]);
  });

  test('can be supported: change and unset an option, rename and suspend, with undo', async () => {
    const { clientId, ada, save } = await fill();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/users/${ada.userCode}`);
    const rowOf = (name: string) => page.getByRole('row', { name: new RegExp(name) });
    await rowOf('vegetarian')
      .getByRole('button', { name: /Change/ })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Value' }).click();
    await page.getByRole('option', { name: 'Yes' }).click();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => rowOf('vegetarian').innerText()).not.toContain('default');
    // The service's error appears at the field.
    await rowOf('volume')
      .getByRole('button', { name: /Change/ })
      .click();
    await dialog.getByRole('textbox', { name: 'Value' }).fill('7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('must be in steps of 5 from 0').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    // Someone else changed it first: the input stays, and the value that it would replace is shown.
    await rowOf('fruit')
      .getByRole('button', { name: /Change/ })
      .click();
    await save('fruit', ['apricot', 'cherry']);
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await dialog.getByText('The record has changed.').waitFor();
    await dialog.getByText(/^Current value: .*cherry/i).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Chosen (2)').click();
    await expect.poll(() => rowOf('volume').count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Search keys and values' }).fill('frui');
    await expect.poll(() => rowOf('vegetarian').count()).toBe(0);
    await rowOf('fruit').getByRole('button', { name: /Unset/ }).click();
    await page.getByText('No keys match.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => rowOf('fruit').innerText()).toContain('Apple, cherry');

    const act = async (name: string) => {
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await act('Rename user');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Ada Lovelace');
    await dialog.getByRole('textbox', { name: 'clientUserId' }).fill('zoe@example.com');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(/another user/i).waitFor();
    await dialog.getByRole('textbox', { name: 'clientUserId' }).fill('countess@example.com');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Ada Lovelace', level: 1 }).waitFor();
    await act('Suspend user');
    await page.getByText('This user gets no access token').waitFor();
    await act('Resume user');
    await expect.poll(() => page.getByText('This user gets no access token').count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  test('are filtered by selections, counted, and exported', async () => {
    const { clientId } = await fill();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/users`);
    await page.getByText('3 users').waitFor();
    await page.getByRole('button', { name: 'Filter by selection' }).click();
    const key = page.getByRole('combobox', { name: 'Key' });
    await key.fill('fruit');
    await page.getByRole('option', { name: 'fruit' }).waitFor();
    await key.press('Enter');
    await page.getByRole('combobox', { name: 'Value' }).click();
    await page.getByRole('option', { name: 'cherry' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('1 user', { exact: true }).waitFor();
    const condition = page.getByText('fruit: cherry').locator('..');
    expect((await condition.boundingBox())?.width).toBeLessThan(160);
    await expect.poll(() => page.getByRole('link', { name: PAYLOAD }).count()).toBe(0);
    await page.getByRole('link', { name: 'Test user' }).waitFor();
    const file = await exportAs(page, 'NDJSON');
    expect(file.name).toBe('users.ndjson');
    expect(
      file.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ clientUserId: 'ada@example.com' }]);
    await page.getByText('1 user exported.').first().waitFor();
    const table = await exportAs(page, 'CSV');
    expect(table.name).toBe('users.csv');
    expect(table.text).toMatch(
      /^\uFEFF?id,name,status,created,.*\.fruit\r\nada@example\.com,Test user,active,[^,]+,apple; cherry\r\n$/,
    );
    // The URL contains all filters.
    await page.reload();
    await page.getByText('fruit: cherry').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Suspended' }).click();
    await page.getByText('No user matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('3 users').waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('are filtered by creation time, in chosen columns, and follow changes by others', async () => {
    const { clientId, add } = await fill();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/users`);
    await page.getByText('3 users').waitFor();
    await page.getByRole('combobox', { name: 'Created' }).click();
    await page.getByRole('option', { name: 'Last 7 days' }).click();
    await page.waitForURL('**/users?span=week');
    await page.getByRole('link', { name: PAYLOAD }).waitFor();
    await page.getByRole('combobox', { name: 'Created' }).click();
    await page.getByRole('option', { name: 'Custom…' }).click();
    // An incomplete time keeps its fields; a reversed range lists nothing.
    await page.getByLabel('Created: From').fill('');
    await page.waitForURL((url) => !url.search.includes('from'));
    await page.getByLabel('Created: To').fill('2001-02-03T00:00');
    await page.getByLabel('Created: From').fill('2001-02-05T00:00');
    await page.getByText(/must be later than from/).waitFor();
    expect(await page.getByRole('link', { name: PAYLOAD }).count()).toBe(0);
    await page.getByLabel('Created: From').fill('2001-02-03T00:00');
    await page.getByLabel('Created: To').fill('2001-02-04T00:00');
    await page.getByText('No user matches these filters.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('3 users').waitFor();
    expect(await page.getByLabel('Created: From').count()).toBe(0);
    expect(await page.getByRole('combobox', { name: 'Created' }).inputValue()).toBe('');
    await page.getByRole('combobox', { name: 'Created' }).click();
    await page.getByRole('option', { name: 'Custom…' }).click();
    await page.getByLabel('Created: From').fill('2001-02-03T00:00');
    await page.getByLabel('Created: To').fill('2100-01-01T00:00');
    await page.getByText('3 users').waitFor();
    const exported = await exportAs(page, 'NDJSON');
    expect(exported.text.trim().split('\n')).toHaveLength(3);

    const heads = () => page.getByRole('columnheader').allInnerTexts();
    expect((await heads()).slice(1)).toEqual(['User', 'UID', 'Created']);
    // The exact time is shown on hover, although the row is a link.
    await page.locator('tbody time').first().hover();
    await page
      .getByRole('tooltip')
      .getByText(/\d:\d\d:\d\d/)
      .waitFor();
    // Without a mouse: screen readers read the exact time, and a command shows it for all rows.
    const time = page.locator('tbody time').first();
    expect(await time.ariaSnapshot()).toMatch(/(now|second|minute).*\d:\d\d:\d\d/);
    for (const [command, shown] of [
      ['exact times', /^\d.*\d:\d\d:\d\d$/],
      ['relative times', /now|second|minute/],
    ] as const) {
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: 'Search and commands' });
      await field.fill(command);
      await page.getByRole('option', { name: command, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await field.waitFor({ state: 'detached' });
      await time.filter({ hasText: shown }).waitFor();
    }
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'UID' }).uncheck();
    await page.getByRole('checkbox', { name: 'E-mail' }).check();
    await page.getByRole('checkbox', { name: 'Status' }).check();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('row', { name: /zoe@example.com.*Active/ }).waitFor();
    expect((await heads()).slice(1)).toEqual(['User', 'E-mail', 'Status', 'Created']);
    await expectFits(page);

    // Users added and deleted by someone else appear and disappear by themselves.
    await add('late@example.com', 'Late Arrival');
    await page.getByRole('link', { name: 'Late Arrival' }).waitFor({ timeout: 15_000 });
    await page.getByText('4 users').waitFor();
    const { storage } = portal.server.service;
    const appId = Number(clientId.split('_')[0]);
    const late = await storage.users.findByClientUserId(appId, 'late@example.com');
    await storage.users.delete(appId, late?.userId ?? '');
    await page.getByText('3 users').waitFor({ timeout: 15_000 });
    await expect.poll(() => page.getByRole('link', { name: 'Late Arrival' }).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  test('are added in the page, and several are suspended, exported and deleted at once', async () => {
    const { clientId, ada } = await fill();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/users`);
    await page.getByRole('button', { name: 'Add user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'clientUserId' }).fill('ada@example.com');
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Grace Hopper');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Unsaved changes' }).getByRole('button', { name: 'Stay' }).click();
    await dialog.getByRole('textbox', { name: 'Name' }).press('Enter');
    await dialog.getByText(/another user/i).waitFor();
    await expectFocus(dialog.getByRole('textbox', { name: 'clientUserId' }));
    await expectAccessible(page);
    await dialog.getByRole('textbox', { name: 'clientUserId' }).fill('grace@example.com');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Grace Hopper', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'All users' }).click();
    await page.getByText('4 users').waitFor();

    const pick = (name: string) => page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await pick('Grace Hopper');
    await pick('Test user');
    await page.getByText('2 selected').waitFor();
    await expectAccessible(page);
    const selected = page.getByRole('region', { name: 'Selected users' });
    const table = await exportAs(page, 'CSV, for spreadsheets', selected);
    const rows = table.text.split('\r\n').map((line) => line.split(','));
    expect(
      rows
        .slice(1)
        .map(([id]) => id)
        .sort(),
    ).toEqual(['', 'ada@example.com', 'grace@example.com']);
    expect(rows.find(([id]) => id === 'ada@example.com')?.at(-1)).toBe('apple; cherry');
    const file = await exportAs(page, 'JSON, complete with history', selected);
    const exported = JSON.parse(file.text) as { user: { clientUserId: string } }[];
    expect(exported.map(({ user }) => user.clientUserId).sort()).toEqual(['ada@example.com', 'grace@example.com']);
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    await page.getByText('2 users suspended.').waitFor();
    await expect.poll(() => page.getByRole('row').filter({ hasText: 'Suspended' }).count()).toBe(2);
    const { storage } = portal.server.service;
    const find = () => storage.users.find(Number(clientId.split('_')[0]), ada.userCode);
    expect(await find()).toMatchObject({ status: 'suspended' });

    await page.getByRole('checkbox', { name: 'Select all listed users' }).check();
    await page.getByText('4 selected').waitFor();
    await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).uncheck();
    await page.setViewportSize({ width: 380, height: 760 });
    await expectFits(page);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByRole('textbox').fill('3');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('3 users deleted.').waitFor();
    await page.getByText('1 user', { exact: true }).waitFor();
    expect(await find()).toBeUndefined();
    expect(pageErrors).toEqual([]);
  });

  test('are sorted, and all users that match a filter are suspended and deleted, not only the listed ones', async () => {
    const { clientId, add } = await fill();
    await Promise.all(Array.from({ length: 54 }, (_, at) => add(`crowd-${at + 10}`, `Crowd ${at + 10}`)));
    await add('crowd-64', 'Crowd 64');
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/users`);
    await page.getByText('58 users').waitFor();
    const rows = page.getByRole('row');
    await page.getByRole('combobox', { name: 'Sort' }).click();
    await page.getByRole('option', { name: 'Newest first' }).click();
    await expect.poll(() => rows.nth(1).innerText()).toContain('crowd-64');
    await page.getByRole('combobox', { name: 'Sort' }).click();
    await page.getByRole('option', { name: 'Oldest first' }).click();
    await expect.poll(() => rows.nth(1).innerText()).toContain('zoe@example.com');
    await page.getByRole('searchbox', { name: 'Search users' }).fill('ROWD-');
    await expect.poll(() => rows.nth(1).innerText()).toContain('crowd-');
    await page.getByText('55 users').waitFor();
    const file = await exportAs(page, 'NDJSON');
    expect(file.text.trim().split('\n')).toHaveLength(55);

    await page.getByRole('checkbox', { name: 'Select all listed users' }).check();
    await page.getByText('All 50 listed users are selected.').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Select all matching users' }).click();
    await page.getByText('55 selected').waitFor();
    expect(await page.getByText(/listed users are selected|users found/).count()).toBe(0);
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Suspend 55 users?' });
    await dialog.getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('55 users suspended.').waitFor();
    await expect
      .poll(() =>
        page.getByRole('heading', { name: 'Users', level: 1 }).evaluate((it) => it === document.activeElement),
      )
      .toBe(true);
    await page.getByRole('searchbox', { name: 'Search users' }).fill('');
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Suspended' }).click();
    await page.getByText('55 users', { exact: true }).waitFor();

    await page.setViewportSize({ width: 380, height: 760 });
    await page.getByRole('checkbox', { name: 'Select all listed users' }).check();
    await page.getByRole('button', { name: 'Select all matching users' }).click();
    await page.getByText('55 selected').waitFor();
    await expectFits(page);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const deleting = page.getByRole('dialog', { name: 'Delete 55 users?' });
    await deleting.getByRole('textbox').fill('55');
    await deleting.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('55 users deleted.').waitFor();
    await page.getByText('No user matches these filters.').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('3 users', { exact: true }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('are imported from a file in the page, which shows what was rejected and why', async () => {
    const { clientId } = await fill();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/users`);
    await page.getByText('3 users').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Import users' });
    await expectAccessible(page);
    const lines = Array.from({ length: 600 }, (_, at) => ({ clientUserId: `new-${at}`, clientUserName: `New ${at}` }));
    // A duplicate in another batch than the original.
    lines.push({ clientUserId: 'new-0', clientUserName: 'Another' });
    const text = `\ufeff${lines.map((line) => JSON.stringify(line)).join('\r\n')}\n\nnot JSON`;
    const file = { name: 'users.ndjson', mimeType: 'application/x-ndjson', buffer: Buffer.from(text) };
    const choose = async (chosen: typeof file) => {
      const chooser = page.waitForEvent('filechooser');
      await dialog.getByRole('button', { name: 'File' }).click();
      await (await chooser).setFiles(chosen);
    };
    await choose({ ...file, buffer: Buffer.from([0xff, 0xfe, 0x41]) });
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('The file is not UTF-8 text.').waitFor();
    await choose(file);
    await dialog.getByRole('button', { name: 'Import' }).click();
    await dialog.getByText('600 created · 2 rejected').waitFor();
    expect(await dialog.getByRole('row').nth(1).innerText()).toMatch(/^601\tnew-0/);
    await expectAccessible(page);
    await page.setViewportSize({ width: 380, height: 760 });
    await expectFits(page);
    const rejected = await download(page, () =>
      dialog.getByRole('button', { name: 'Download rejected lines' }).click(),
    );
    expect(rejected.text.split('\r\n')).toMatchObject([
      'line,clientUserId,code,reason',
      expect.stringMatching(/^601,new-0,/),
      expect.stringMatching(/^603,,0021/),
      '',
    ]);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('603 users').waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('603', { exact: true }).waitFor();
    await page.getByText('Created: 603').waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('are exported, and deleted after typing their id', async () => {
    const { clientId, ada } = await fill();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/users/${ada.userCode}`, {
      viewport: { width: 380, height: 760 },
    });
    await page.getByRole('button', { name: 'Actions' }).click();
    const written = await download(page, () => page.getByRole('menuitem', { name: 'Export as HTML' }).click());
    expect([written.name.endsWith('.html'), written.text.includes('<h2>Selections</h2>')]).toEqual([true, true]);
    await page.getByRole('button', { name: 'Actions' }).click();
    const file = await download(page, () => page.getByRole('menuitem', { name: 'Export as JSON' }).click());
    expect(file.name).toBe(`user-${ada.userCode}.json`);
    await expectFits(page);
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete user' }).click();
    const dialog = page.getByRole('dialog');
    const erase = dialog.getByRole('button', { name: 'Delete user' });
    await dialog.getByRole('textbox').fill('ada');
    expect(await erase.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('ada@example.com');
    await erase.click();
    await page.getByText('ada@example.com was deleted.').waitFor();
    const receipt = await download(page, () => page.getByRole('link', { name: 'Download receipt' }).click());
    expect(receipt.name).toBe(`deleted-${ada.userCode}.jwt`);
    await page.getByRole('link', { name: PAYLOAD }).waitFor();
    const { storage } = portal.server.service;
    expect(await storage.users.find(Number(clientId.split('_')[0]), ada.userCode)).toBeUndefined();
    expect(pageErrors).toEqual([]);
  });

  test('an application without users explains how to add some', async () => {
    const { clientId } = await portal.server.application();
    const { page } = await portal.enter(`/applications/${clientId}/users/${crypto.randomUUID()}`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'All users' }).click();
    await page.getByRole('link', { name: 'Connect application' }).click();
    await page.getByRole('heading', { name: 'Connect', level: 1 }).waitFor();
  });
});
