import { describe, expect, test } from 'vitest';
import { sqlite } from '../../packages/server/test/databases.ts';
import { makeSignedInUser } from '../../packages/server/test/http/start.ts';
import { expectAccessible, expectFocus, openPortal } from '../portal.ts';
import { makeApplication, row, save } from './room.ts';

const portal = openPortal(sqlite);

type Placed = { groupUid: string; keys: { keyUid: string; descriptions?: unknown }[] };

describe('the catalog room: a draft', () => {
  test('publishing a breaking change shows how many users it affects and asks for confirmation', async () => {
    const app = await makeApplication(portal);
    const [user, { keyUid }, { groupUid }] = [
      await makeSignedInUser(portal.server, app),
      await app.key('portions'),
      await app.group('kitchen'),
    ];
    const choice = { user_uid: user.userCode, option_group_uid: groupUid, option_key_uid: keyUid, value: [4] };
    expect((await portal.server.post('/api/user_options', choice, { apiKey: app.clientId })).status).toBe(201);
    const { page } = await portal.enter(`${app.room}?item=${keyUid}`);
    await page.getByRole('button', { name: 'Remove: 4' }).click();
    await save(page);
    await page.getByRole('button', { name: 'Publish…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('value removed: 4 – affects 1 saved selection').waitFor();
    const publish = dialog.getByRole('button', { name: 'Publish', exact: true });
    expect(await publish.isDisabled()).toBe(true);
    await dialog.getByRole('checkbox').check();
    await publish.click();
    await page.getByText('Published as revision 2.').waitFor();
    expect(await app.key('portions')).toMatchObject({ values: [1, 2] });
  });

  test('a key gets a description and moves to another group, with its UID', async () => {
    const app = await makeApplication(portal);
    const [{ keyUid }, { groupUid }] = [await app.key('portions'), await app.group('open')];
    const { page } = await portal.enter(`${app.room}?item=${keyUid}`);
    await page.getByRole('button', { name: 'Add a description' }).click();
    await page.getByRole('textbox', { name: 'Description: Deutsch', exact: true }).fill('Für wie viele gekocht wird');
    await expectAccessible(page);
    await save(page);
    await page.getByRole('button', { name: 'Move to group' }).click();
    await page.getByRole('menuitem', { name: 'open' }).click();
    await page.getByText('portions moved to open.').waitFor();
    const draft = (await app.get('/catalog/tree?draft=true')).json as unknown as { groups: Placed[] };
    const moved = draft.groups.find((group) => group.groupUid === groupUid)?.keys.find((key) => key.keyUid === keyUid);
    expect(moved?.descriptions).toEqual({ Deutsch: 'Für wie viele gekocht wird' });
  });

  test('moves users from a retired value to its replacement, after showing the exact count', async () => {
    const app = await makeApplication(portal);
    const [user, { keyUid }, { groupUid }] = [
      await makeSignedInUser(portal.server, app),
      await app.key('portions'),
      await app.group('kitchen'),
    ];
    const choice = { user_uid: user.userCode, option_group_uid: groupUid, option_key_uid: keyUid, value: [4] };
    expect((await portal.server.post('/api/user_options', choice, { apiKey: app.clientId })).status).toBe(201);
    await app.edit('PATCH', `/keys/${keyUid}`, { values: [1, 2, { value: 4, retired: true, replacement: 2 }] });
    const { page } = await portal.enter(`${app.room}?item=${keyUid}`);
    await page.getByText('4 → 2').waitFor();
    await page.getByRole('button', { name: 'Migrate…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 selection of “4” will change to “2”.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Migrate' }).click();
    await page.getByText('1 selection migrated.').waitFor();
    const saved = await app.get(`/users/${user.userCode}/options`);
    expect(saved.json.items).toContainEqual(expect.objectContaining({ keyUid, value: 2 }));
  });

  test('two editors: independent changes are merged, conflicting ones shown side by side', async () => {
    const app = await makeApplication(portal);
    const { keyUid } = await app.key('fruit');
    const { page } = await portal.enter(`${app.room}?item=${keyUid}`);
    const field = page.getByLabel('Deutsch', { exact: true });
    await field.fill('Früchte');
    // Someone else edits another part of the draft, and another field of the same key.
    const { groupUid } = await app.group('open');
    await app.edit('PATCH', `/groups/${groupUid}?draft=true`, { name: 'offen' });
    await app.edit('PATCH', `/keys/${keyUid}?draft=true`, { name: 'fruits', translations: { en: 'Fruit & more' } });
    await save(page);
    await expect.poll(() => page.getByLabel('API name').inputValue()).toBe('fruits');
    expect(await page.getByLabel('English', { exact: true }).inputValue()).toBe('Fruit & more');
    expect(await field.inputValue()).toBe('Früchte');
    // Now the same field.
    await field.fill('Obstsorten');
    await app.edit('PATCH', `/keys/${keyUid}?draft=true`, { translations: { de: 'Obst & Co.' } });
    await page.getByRole('button', { name: 'Save to draft' }).click();
    const dialog = page.getByRole('dialog', { name: 'Someone changed this' });
    await dialog.getByText('Obst & Co.').first().waitFor();
    await dialog.getByText('Obstsorten').first().waitFor();
    expect(await dialog.getByRole('rowheader').allInnerTexts()).toEqual(['Deutsch']);
    await dialog.getByText('token:tests').first().waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Continue editing' }).click();
    expect(await field.inputValue()).toBe('Obstsorten');
    await page.getByRole('button', { name: 'Save to draft' }).click();
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText('Saved to draft').first().waitFor();
    await expect
      .poll(async () => JSON.stringify((await app.get('/catalog/tree?draft=true')).json))
      .toContain('Obstsorten');
    // Someone else publishes while the dialog is open: their changes must be shown before they are overwritten.
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).waitFor();
    await app.edit('POST', '/groups', { name: 'meanwhile' });
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Publish over revision 2').waitFor();
    await page.getByRole('dialog').getByText('archived').waitFor();
    await page.getByText('Publish over revision 2').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Published as revision 3.').waitFor();
  });

  test('archives, restores and discards; a link opens a key; unsaved input is not lost without asking', async () => {
    const { room, key } = await makeApplication(portal);
    const { keyUid } = await key('fruit');
    const { page } = await portal.enter(`${room}?item=${keyUid}`);
    await page.getByRole('heading', { name: 'Fruit', level: 2 }).waitFor();
    expect(await row(page, 'Fruit').getAttribute('aria-selected')).toBe('true');
    // After an undo, no marker or message of the change is left.
    await page.getByRole('main').getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByText('This key is archived').waitFor();
    const archived = page.getByRole('alert').filter({ hasText: /archived/ });
    await archived.first().waitFor();
    await page.getByRole('button', { name: /^Undo / }).click();
    await page.getByText(/^Undone: /).waitFor();
    await expect.poll(() => archived.count()).toBe(0);
    await expect
      .poll(() => page.getByRole('region', { name: 'Draft' }).innerText())
      .toContain('No unpublished changes');
    await page.getByRole('main').getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByText('This key is archived').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await expect.poll(() => page.getByText('This key is archived').count()).toBe(0);

    await page.getByLabel('API name').fill('apple');
    const question = page.getByRole('dialog', { name: 'Unsaved changes' });
    // Opening a dialog on top of the item does not leave the item.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('Add group');
    await page.getByRole('option', { name: 'Add group', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    const added = page.getByRole('dialog', { name: 'Add group' });
    await added.waitFor();
    await page.keyboard.press('Escape');
    await added.waitFor({ state: 'detached' });
    expect(await question.count()).toBe(0);
    await row(page, 'ratio').click();
    await question.waitFor();
    await expectAccessible(page);
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await page.getByLabel('API name').inputValue()).toBe('apple');
    await page.getByRole('button', { name: 'Reset' }).click();
    await row(page, 'ratio').click();
    await page.getByRole('heading', { name: 'ratio', level: 2 }).waitFor();

    await page.getByRole('button', { name: 'Discard…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Draft discarded.').waitFor();
    await expect.poll(() => page.getByRole('region', { name: 'Draft' }).count()).toBe(0);
    await expectFocus(page.getByRole('heading', { name: 'Catalog', level: 1 }));

    // Saving scrolls to the invalid field.
    await row(page, 'volume').click();
    await page.getByRole('heading', { name: 'volume', level: 2 }).waitFor();
    await page.getByLabel('Minimum').fill('11');
    await page.getByLabel('English', { exact: true }).focus();
    await page.keyboard.press('Control+s');
    await expect.poll(() => page.getByText('The minimum is greater than the maximum.').count()).toBe(2);
    await expectFocus(page.getByLabel('Minimum'));
    await page.getByText('Not saved. Check the marked field.').first().waitFor();
    // The save bar stays visible at any scroll position.
    await page.setViewportSize({ width: 1280, height: 500 });
    await page.evaluate(() => scrollTo(0, 0));
    const bar = await page.getByRole('button', { name: 'Save', exact: false }).first().boundingBox();
    expect(bar && bar.y + bar.height).toBeLessThanOrEqual(500);
    // An error from the service appears at the field that it names.
    await page.getByLabel('Minimum').fill('7');
    await page.keyboard.press('Control+s');
    await page.getByText('The default must be an allowed value').waitFor();
    expect(await page.getByText('Nothing was published').count()).toBe(0);
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await page.evaluate(() => window.scrollTo({ top: 0 }));
    await page.keyboard.press('Control+s');
    const notice = page.getByText('Sign in again. Your input is kept.');
    await notice.waitFor();
    await expect
      .poll(() => notice.evaluate((each) => each.getBoundingClientRect().bottom <= window.innerHeight))
      .toBe(true);
    expect(await page.getByLabel('Minimum').inputValue()).toBe('7');
    // Once the user has signed in again in another tab, saving works as before.
    await page.getByRole('alert').filter({ hasText: 'Your session has ended.' }).waitFor();
    await page.context().addCookies(cookies);
    await page.getByLabel('Minimum').fill('5');
    await page.keyboard.press('Control+s');
    await page.getByRole('region', { name: 'Draft' }).waitFor();
    await page.getByText('Your session has ended.').waitFor({ state: 'detached' });
    expect(await page.getByText('You are signed out').count()).toBe(0);
  });

  test('shows all input as text', async () => {
    const nasty = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>{{constructor}}`;
    // The names of new groups and keys cannot contain `.`, `/` or `=`.
    const nastyName = '"><script>alert(1)<script>{{constructor}}';
    const { room, key, path, get } = await makeApplication(portal, {
      languages: [{ name: nasty.slice(0, 100), tag: 'en' }],
      groups: [
        {
          name: nastyName,
          translations: { en: nasty },
          keys: [
            {
              name: nastyName,
              type: 'string',
              default: nasty,
              translations: { en: nasty },
              values: [{ value: nasty, translations: { en: `${nasty}!` } }, `${nasty}2`],
            },
          ],
        },
      ],
    });
    const { keyUid } = await key(nastyName);
    const { page, pageErrors } = await portal.enter(`${room}?item=${keyUid}`);
    await page.getByRole('heading', { name: nasty, level: 2 }).waitFor();
    await page.getByRole('button', { name: 'Move down' }).first().waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByText('archived').first().waitFor();
    await page.goto(`${portal.server.url}/portal${path}/revisions?revision=1`);
    await page.getByRole('tab', { name: 'Full catalog' }).click();
    await page.getByRole('tabpanel', { name: 'Full catalog' }).getByText('onerror').first().waitFor();
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
    expect((await get('/catalog')).status).toBe(200);
    expect(pageErrors).toEqual([]);
  });
});
