import { describe, expect, test } from 'vitest';
import { sqlite } from '../packages/server/test/databases.ts';
import { startReceiver } from '../packages/server/test/events/receiver.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { bearer, makeSignedInUser, makeUser } from '../packages/server/test/http/start.ts';
import { manageWith } from '../packages/server/test/manage/manage.ts';
import { memberWith } from '../packages/server/test/portal/portal.ts';
import { expectAccessible, expectFits, expectHeld, holdRequests, openPortal } from './portal.ts';

describe('the webhooks and events rooms', () => {
  const portal = openPortal(sqlite, () => ({ webhooksAllow: '127.0.0.1' }));

  test('a webhook is added with its secret shown once, and deleted; a private address is rejected at its field', async () => {
    const { clientId } = await portal.server.application();
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/webhooks`);
    await page.getByText('No webhooks').waitFor();
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    const url = dialog.getByRole('textbox', { name: 'URL' });
    await url.fill('https://10.0.0.1/hook');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('must lead to a public address').waitFor();
    await expectAccessible(page);
    await url.fill('https://192.0.79.32/hook');
    const release = await holdRequests(page, 'POST', /\/webhooks$/);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Close' }).click();
    release();
    const secret = await dialog.getByText(/^whsec_/).innerText();
    await expectHeld(page, dialog);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('https://192.0.79.32/hook').waitFor();
    expect(await page.content()).not.toContain(secret);
    await expectAccessible(page);
    await expectFits(page);
    const rotated = async () => {
      const newer = await dialog.getByText(/^whsec_/).innerText();
      await expectHeld(page, dialog);
      await dialog.getByRole('button', { name: 'Close' }).last().click();
      await dialog.waitFor({ state: 'detached' });
      return newer;
    };
    await page.getByRole('button', { name: 'Rotate secret', exact: true }).click();
    const second = await rotated();
    await page.getByRole('button', { name: 'Rotate secret…' }).click();
    await dialog.getByText('Rotating again revokes it immediately.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Rotate secret' }).click();
    expect(new Set([secret, second, await rotated()]).size).toBe(3);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('192.0.79.32');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks').waitFor();
    // The browser logs the rejected request itself.
    expect(pageErrors.filter((each) => !each.includes('400'))).toEqual([]);
  });

  test('a member who cannot add webhooks is told who can', async () => {
    const { appId, clientId } = await portal.server.application();
    const { cookie } = await memberWith(portal.server, [{ appId, role: 'support' }]);
    const { page } = await portal.visit(`/portal/applications/${clientId}/webhooks`, { cookie });
    await page.getByText('An owner or editor can add one.').waitFor();
    expect(await page.getByText('Add a URL').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Add webhook' }).count()).toBe(0);
  });

  test('a webhook is limited, its events are replayed, and the overview shows that it fails', async () => {
    const receiver = await startReceiver();
    try {
      const application = await portal.server.application();
      const { clientId } = application;
      const manage = await manageWith(portal.server, { appIds: [application.appId] });
      await makeUser(portal.server, application);
      await manage.send('POST', `/applications/${clientId}/webhooks`, {
        url: receiver.url,
        description: 'Mailing list',
      });
      const { page, pageErrors } = await portal.enter(`/applications/${clientId}/webhooks`);
      await page.getByRole('button', { name: 'Edit' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Rate limit' }).fill('25');
      await expectAccessible(page);
      // Only the changed field is sent: someone else may have changed the others meanwhile.
      const sent = page.waitForRequest((request) => request.method() === 'PATCH');
      await dialog.getByRole('button', { name: 'Save' }).click();
      expect((await sent).postDataJSON()).toEqual({ maxPerSecond: 25 });
      await page.getByText('at most 25 per second').waitFor();

      await page.getByRole('button', { name: 'Replay…' }).click();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Replay' }).click();
      await receiver.until(1);
      expect(receiver.received[0]?.body).toContain('user.created');

      receiver.answer = () => 410;
      await makeUser(portal.server, application);
      await page.getByText('Switched off: the receiver responded with 410.').waitFor();
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByText('1 webhook is failing').waitFor();
      await expectAccessible(page);
      await page.getByRole('link', { name: 'Open webhooks' }).click();
      await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
      expect(pageErrors).toEqual([]);
    } finally {
      await receiver.close();
    }
  });

  test('events of an application and of a user are listed, filtered and opened', async () => {
    const { server } = portal;
    const { application, apiKey, choice } = await withCatalog(server);
    const { clientId } = application;
    const ada = await makeSignedInUser(server, application, 'ada@example.com');
    await server.post('/api/user_options', await choice('portions', [2]), { ...apiKey, ...bearer(ada.accessToken) });
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/events`);
    const rows = page
      .getByRole('table', { name: 'Events' })
      .getByRole('row')
      .filter({ has: page.getByRole('cell') });
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('cell', { name: 'kitchen.portions: 2', exact: true }).waitFor();
    await page.getByRole('cell', { name: 'Revision 1', exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'selection.saved' }).click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByRole('button', { name: 'Copy payload' }).click();
    await expectAccessible(page);
    const payload = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    expect(payload).toMatchObject({ type: 'selection.saved', clientId, data: { user_uid: ada.userCode, value: 2 } });
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });

    const filter = page.getByRole('combobox', { name: 'Type' });
    await filter.click();
    await page.getByRole('option', { name: 'user.deleted' }).click();
    await page.getByText('No events of this type').waitFor();
    await page.waitForURL('**/events?type=user.deleted');
    await filter.click();
    await page.getByRole('option', { name: 'user.deleted' }).click();
    // More than a page of other users' events, none of which may appear among this user's.
    for (let count = 0; count < 50; count += 1) await makeUser(server, application);
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => rows.count()).toBe(53);
    await page.setViewportSize({ width: 390, height: 800 });
    await expectFits(page);
    await rows.getByRole('link', { name: 'Test user' }).last().click();
    await page.getByRole('tab', { name: 'Events' }).click();
    await expect.poll(() => rows.count()).toBe(2);
    await expectFits(page);

    const manage = await manageWith(server, { appIds: [application.appId] });
    await manage.send('DELETE', `/applications/${clientId}/users/${ada.userCode}`);
    await page.goto(`${server.url}/portal/applications/${clientId}/events?type=selection.saved`);
    await page.getByText('Deleted user').waitFor();
    expect(pageErrors).toEqual([]);
  });
});
