import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../packages/server/test/databases.ts';
import { makeSignedInUser, makeUser } from '../packages/server/test/http/start.ts';
import { memberWith } from '../packages/server/test/portal/portal.ts';
import { download, expectAccessible, expectFits, holdRequests, openPortal } from './portal.ts';

/** Holds the next update of an application until the returned function is called. */
const holdChange = (page: Page) => holdRequests(page, 'PATCH', /\/applications\/[^/]+$/);

describe('the credentials room', () => {
  const portal = openPortal(sqlite);
  const works = async (application: { clientId: string; clientSecret: string; name: string }) =>
    (await makeUser(portal.server, application)).specialToken !== undefined;

  test('rotates a secret with an overlap, shows it once, and revokes the previous one', async () => {
    const application = await portal.server.application();
    expect(await works(application)).toBe(true);
    const { page, pageErrors } = await portal.enter(`/applications/${application.clientId}/credentials`);
    await page.getByRole('button', { name: 'Rotate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^Both secrets work until/).waitFor();
    await dialog.getByRole('combobox', { name: 'Keep the current secret valid for' }).click();
    await page.getByRole('option', { name: '7 days' }).click();
    const release = await holdRequests(page, 'POST', /\/secrets$/);
    await dialog.getByRole('button', { name: 'Rotate' }).dblclick();
    // The dialog cannot be closed before the secret arrives.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true);
    release();
    const clientSecret = await dialog.getByText(/^ink_/).innerText();
    await expectAccessible(page);
    // Escape does not close a dialog whose content is shown only once.
    await page.keyboard.press('Escape');
    const done = dialog.getByRole('button', { name: 'Done' });
    const stored = dialog.getByRole('checkbox');
    await stored.check();
    expect(await done.isEnabled()).toBe(true);
    await stored.uncheck();
    expect(await done.isDisabled()).toBe(true);
    // After a download, the "stored" checkbox is no longer needed.
    const file = await download(page, () => dialog.getByRole('button', { name: 'Download as .env' }).click());
    expect(file.name).toBe(`innkeeper-${application.clientId}.env`);
    await stored.waitFor({ state: 'detached' });
    await done.click();
    await dialog.waitFor({ state: 'detached' });
    const next = { ...application, clientSecret };
    expect([await works(application), await works(next)]).toEqual([true, true]);
    expect(await page.content()).not.toContain(clientSecret);
    await page.getByRole('button', { name: 'Revoke previous secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke previous secret' }).click();
    await page.getByText('Previous secret revoked.').waitFor();
    expect([await works(application), await works(next)]).toEqual([false, true]);
    expect(pageErrors).toEqual([]);
  });

  test('sets a logo and a colour for the preference page, previewed in light and dark', async () => {
    const { clientId, appId } = await portal.server.application();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/credentials`);
    await page.getByLabel('Accent colour').fill('#ff8800');
    const preview = page.getByRole('group', { name: 'Preference page, light and dark' });
    // Too little contrast on a light page, but fine on a dark one.
    for (const color of ['rgb(173, 92, 0)', 'rgb(255, 136, 0)']) {
      await expect
        .poll(() =>
          preview.evaluate(
            (box, wanted) => [...box.querySelectorAll('*')].some((each) => getComputedStyle(each).color === wanted),
            color,
          ),
        )
        .toBe(true);
    }
    const choose = (name: string, mimeType: string, content: string) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer: Buffer.from(content, 'base64') });
    await choose('logo.svg', 'image/svg+xml', btoa('<svg/>'));
    await page.getByText('Choose a PNG, JPEG or WebP image of at most 16 KiB.').waitFor();
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await choose('logo.png', 'image/png', pixel);
    await page.getByRole('img', { name: 'Current logo' }).waitFor();
    await page.locator('form').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved').first().waitFor();
    const { settings } = portal.server.service.applications.peekById(appId) ?? {};
    expect(settings).toMatchObject({ accentColor: '#ff8800', logo: `data:image/png;base64,${pixel}` });
    await expectAccessible(page);
    if (process.env.PREFERENCE_SHOTS)
      await page.screenshot({ path: `${process.env.PREFERENCE_SHOTS}/settings.png`, fullPage: true });
    expect(pageErrors).toEqual([]);
  });

  test('changes settings; an error appears at its field, and the input stays', async () => {
    const { clientId, appId } = await portal.server.application();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/credentials`, {
      viewport: { width: 380, height: 760 },
    });
    const lifetime = page.getByRole('textbox', { name: 'Access token lifetime' });
    await lifetime.fill('2');
    await page.getByRole('combobox', { name: 'Access token lifetime: unit' }).click();
    await page.getByRole('option', { name: 'days' }).click();
    await page.getByRole('switch', { name: 'Require credentials to delete users' }).click({ force: true });
    await page.getByText(/can delete that user/).waitFor();
    await page.getByRole('radio', { name: 'With the secret' }).check();
    const origins = page.getByRole('combobox', { name: 'Allowed web origins' });
    await origins.fill('ftp://nowhere');
    await origins.press('Enter');
    await page.getByRole('radiogroup', { name: 'Application rate limit' }).getByLabel('Custom limit').check();
    await page.getByText(/can use up the limit/).waitFor();
    await page.getByRole('textbox', { name: 'Application rate limit: requests' }).fill('3000');
    const perAddress = page.getByRole('radiogroup', { name: 'Rate limit per IP address' });
    await perAddress.getByLabel('Custom limit').check();
    const time = page.getByRole('textbox', { name: 'Rate limit per IP address: period' });
    await time.fill('');
    await page.getByText('6 unsaved changes').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Must be a full origin, for example/).waitFor();
    await page.getByText('At least 1 request, over a period of 1 second to 1 day').waitFor();
    await time.fill('90');
    await page.getByRole('combobox', { name: 'Rate limit per IP address: unit' }).click();
    await page.getByRole('option', { name: 'seconds' }).click();
    expect(await lifetime.inputValue()).toBe('2');
    await origins.press('Backspace');
    await origins.fill('https://app.example.com');
    await origins.press('Enter');
    await expectFits(page);
    const release = await holdChange(page);
    await page.getByRole('button', { name: 'Save' }).click();
    // What you type while a save is in flight is kept for the next save.
    await lifetime.fill('99');
    release();
    await page.getByText('Settings saved.').waitFor();
    const [stored] = await portal.server.service.storage.applications.list([appId]);
    expect(stored?.settings).toEqual({
      accessTokenTtl: 2 * 86_400,
      deleteNeedsCredentials: false,
      saveByUserUid: 'secret',
      allowedOrigins: ['https://app.example.com'],
      rateLimit: '3000/1m',
      addressRateLimit: '600/90s',
    });
    await page.getByText('From 1 minute to 30 days').waitFor();
    await page.getByText('1 unsaved change').waitFor();
    expect(await lifetime.inputValue()).toBe('99');
    expect(pageErrors).toEqual([]);
  });

  test('writes numbers and durations in the language of the portal', async () => {
    const { clientId, appId } = await portal.server.application();
    const { applications } = portal.server.service.storage;
    await applications.update(appId, { set: { rateLimit: '1234567/1m', accessTokenTtl: 5_400 } });
    await portal.server.service.refresh();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/credentials`, { locale: 'de-DE' });
    const limit = page.getByRole('textbox', { name: 'Anfragelimit der Anwendung: Anfragen' });
    expect(await limit.inputValue()).toBe('1.234.567');
    await limit.fill('2345678');
    const lifetime = page.getByRole('textbox', { name: 'Lebensdauer des Zugriffstokens' });
    expect(await lifetime.inputValue()).toBe('90');
    await page.getByRole('combobox', { name: 'Lebensdauer des Zugriffstokens: Einheit' }).click();
    await page.getByRole('option', { name: 'Stunden' }).click();
    await lifetime.fill('1,5');
    await page.getByRole('button', { name: 'Speichern' }).click();
    await page.getByText('Einstellungen gespeichert.').waitFor();
    const [stored] = await applications.list([appId]);
    expect(stored?.settings).toMatchObject({ rateLimit: '2345678/1m', accessTokenTtl: 5_400 });
    expect(pageErrors).toEqual([]);
  });

  test('leaving with a typed name asks first', async () => {
    const { clientId } = await portal.server.application();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/credentials`);
    const name = page.getByRole('textbox', { name: 'Application name' });
    await name.fill('Typed');
    await page.getByRole('navigation').getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click();
    expect(await name.inputValue()).toBe('Typed');
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Switch application: Typed' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('concurrent changes are shown side by side, and no input is lost', async () => {
    const { clientId, appId } = await portal.server.application();
    const { applications } = portal.server.service.storage;
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/credentials`);
    await page.getByRole('radio', { name: 'With the secret' }).check();
    await page.getByRole('textbox', { name: 'Special token lifetime' }).fill('30');
    await page.getByRole('textbox', { name: 'History kept (days)' }).fill('365');
    await applications.update(appId, { set: { saveByUserUid: 'off', accessTokenTtl: 7200, historyKept: 30 } });
    await portal.server.service.refresh();
    await page.getByRole('button', { name: 'Save' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'These settings have changed' });
    await alert.getByRole('row', { name: /Save selections by user_uid\s+off\s+secret/ }).waitFor();
    await alert.getByRole('row', { name: /History kept \(days\)\s+30\s+365$/ }).waitFor();
    expect((await applications.list([appId]))[0]?.settings).toMatchObject({ saveByUserUid: 'off' });
    await alert.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved.').waitFor();
    const settings = { saveByUserUid: 'secret', accessTokenTtl: 7200, specialTokenTtl: 1800, historyKept: 365 };
    expect((await applications.list([appId]))[0]?.settings).toEqual(settings);
    const name = page.getByRole('textbox', { name: 'Application name' });
    await name.fill('Mine');
    await applications.update(appId, { name: 'Theirs' });
    await portal.server.service.refresh();
    await page.getByRole('button', { name: 'Rename' }).click();
    expect(await alert.getByRole('row').last().innerText()).toMatch(/Theirs\s+Mine/);
    await alert.getByRole('button', { name: 'Keep saved' }).click();
    await expect.poll(() => name.inputValue()).toBe('Theirs');
    expect(pageErrors).toEqual([]);
  });

  test('renames an application, and deletes it after typing its name', async () => {
    const { clientId, appId } = await portal.server.application();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/credentials`);
    const name = page.getByRole('textbox', { name: 'Application name' });
    const release = await holdChange(page);
    await name.fill('Shop');
    await page.getByRole('button', { name: 'Rename' }).click();
    await name.fill('Shop <b>');
    release();
    await page.getByRole('button', { name: 'Switch application: Shop', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('button', { name: 'Switch application: Shop <b>' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete application' }).click();
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: 'Delete application' });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole('textbox').fill('Shop <b>');
    await remove.click();
    await page.getByText('Shop <b> was deleted.').waitFor();
    expect(await portal.server.service.storage.applications.list([appId])).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  test('a viewer sees settings and snippets but no users, and cannot change anything', async () => {
    const { server } = portal;
    const application = await server.application();
    const user = await makeSignedInUser(server, application);
    const { email } = await memberWith(server, [{ appId: application.appId, role: 'viewer' }]);
    const path = `/applications/${application.clientId}`;
    const { page, pageErrors } = await portal.enter(`${path}/credentials`, { email });
    await page.getByText('Only owners can change them.').waitFor();
    expect(await page.getByRole('textbox', { name: 'Application name' }).isDisabled()).toBe(true);
    for (const name of ['Rotate', 'Save', 'Rename', 'Delete application']) {
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    }
    await expectAccessible(page);
    await page.goto(`${server.url}/portal${path}/users/${user.userCode}`);
    await page.getByText('Only support, editors and owners can see user data.').waitFor();
    expect(await page.getByRole('button', { name: 'Actions' }).count()).toBe(0);
    for (const room of ['Users', 'Requests']) {
      expect([room, await page.getByRole('link', { name: room, exact: true }).count()]).toEqual([room, 0]);
    }
    await expectAccessible(page);
    await page.goto(`${server.url}/portal${path}/users`);
    await page.getByText('Only support, editors and owners can see user data.').waitFor();
    await page.goto(`${server.url}/portal${path}/connect`);
    await page.getByText('Only editors and owners can run the flow.').waitFor();
    expect(await page.getByRole('button', { name: 'Run flow' }).isDisabled()).toBe(true);
    expect(pageErrors).toEqual([]);
  });

  test('support manages users and cannot change anything else', async () => {
    const { server } = portal;
    const application = await server.application();
    const user = await makeSignedInUser(server, application);
    const { email } = await memberWith(server, [{ appId: application.appId, role: 'support' }]);
    const path = `/applications/${application.clientId}`;
    const { page, pageErrors } = await portal.enter(`${path}/users/${user.userCode}`, { email });
    await page.getByRole('tab', { name: 'Tokens (1)' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Actions' }).click();
    // The six menu items: rename, suspend, link, export as JSON, export as a page, delete.
    expect(await page.getByRole('menuitem').count()).toBe(6);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Requests', exact: true }).click();
    await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
    await page.goto(`${server.url}/portal${path}/audit`);
    await page.getByText(`User viewed: ${user.userCode}`).waitFor();
    await page.goto(`${server.url}/portal${path}/credentials`);
    await page.getByText('Only owners can change them.').waitFor();
    expect(pageErrors).toEqual([]);
  });
});
