import { describe, expect, test } from 'vitest';
import { postgres } from '../packages/server/test/databases.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { makeSignedInUser } from '../packages/server/test/http/start.ts';
import { memberWith } from '../packages/server/test/portal/portal.ts';
import { expectAccessible, expectFits, openPortal } from './portal.ts';

const XSS = '<img src=x onerror=alert(1)>';

describe('the requests of the portal', () => {
  const portal = openPortal(postgres);

  test('appear as they arrive, and can be filtered, opened and copied as curl', async () => {
    const { application, apiKey, choice } = await withCatalog(portal.server);
    const { clientId } = application;
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/requests`);
    await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
    const user = await makeSignedInUser(portal.server, application, `${XSS}@example.com`);
    await portal.server.post('/api/user_options', await choice('fruit', ['pear'], { user_uid: user.userCode }), {
      ...apiKey,
      'x-request-id': 'case-17',
    });
    // Requests appear live.
    const saved = page.getByRole('button', { name: 'POST /api/user_options' });
    await saved.waitFor();
    await page.getByText('422 · 1008').waitFor();

    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: '2xx success' }).click();
    await saved.waitFor({ state: 'detached' });
    expect(page.url()).toContain('status=2xx');
    await page.getByRole('textbox', { name: 'Path starts with' }).fill('/oauth');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByRole('textbox', { name: 'Path starts with' }).fill('/nowhere');
    await page.getByRole('button', { name: 'Clear filters' }).click();

    // Why did it fail? Find it by the request id that the user saw, or by the user; the page explains it and suggests a
    // next step.
    await page.getByRole('textbox', { name: 'User' }).fill('nobody@example.com');
    await page.getByRole('heading', { name: 'No such user' }).waitFor();
    await page.getByRole('textbox', { name: 'User' }).fill(`${XSS}@example.com`);
    await saved.waitFor();
    await page.getByRole('textbox', { name: 'Request id' }).fill('case-17');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'Last hour' }).click();
    await page.waitForURL(/span=hour/);
    await saved.click();
    const why = page.getByRole('alert').filter({ hasText: 'Why it failed (1008)' });
    await why.getByText('is not among the allowed values').waitFor();
    await why.getByText(/^Allowed: .*apple/).waitFor();
    expect(await why.getByRole('link').getAttribute('href')).toBe(`${portal.server.url}/guide/errors#:~:text=1008`);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'Custom…' }).click();
    await page.getByLabel('From', { exact: true }).fill('2020-01-01T00:00');
    await page.getByLabel('To', { exact: true }).fill('2020-01-02T00:00');
    await page.getByRole('heading', { name: 'No matching requests' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();

    await page.getByRole('button', { name: 'POST /api/v2/app/create-user' }).press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Request' });
    const sent = drawer.getByRole('region', { name: 'Request body' });
    await sent.waitFor();
    expect(JSON.parse(await sent.innerText())).toMatchObject({
      clientSecret: '[masked]',
      clientUserId: `${XSS}@example.com`,
    });
    // "Copied" is shown only briefly.
    await Promise.all([
      drawer.getByRole('button', { name: 'Copied' }).waitFor(),
      drawer.getByRole('button', { name: 'Copy as curl' }).click(),
    ]);
    const curl = await page.evaluate(() => navigator.clipboard.readText());
    expect(curl).toContain(`curl -X POST '${portal.server.url}/api/v2/app/create-user'`);
    expect(curl).toContain('"clientSecret":"YOUR_CLIENT_SECRET"');
    // The URL identifies this request, so that it can be shared.
    await page.reload();
    await drawer.getByRole('link', { name: user.userCode }).click();
    await page.waitForURL(`**/users/${user.userCode}`);
    expect(pageErrors).toEqual([]);
  });

  test('fit a phone and are accessible', async () => {
    const { application, get } = await withCatalog(portal.server);
    await get('/api/option_groups');
    const path = `/applications/${application.clientId}/requests`;
    const phone = await portal.enter(path, { viewport: { width: 380, height: 760 } });
    const row = phone.page.getByRole('button', { name: 'GET /api/option_groups' });
    await row.waitFor();
    await expectFits(phone.page);
    await expectAccessible(phone.page);
    await row.click();
    await phone.page.getByRole('region', { name: 'Response body' }).waitFor();
    await expectFits(phone.page);
    await expectAccessible(phone.page);
  });

  test('are not available to viewers, nor is creating applications', async () => {
    const { application } = await withCatalog(portal.server);
    const { cookie } = await memberWith(portal.server, [{ appId: application.appId, role: 'viewer' }]);
    const room = `/portal/applications/${application.clientId}/requests`;
    const { page, pageErrors } = await portal.visit(room, { cookie });
    await page.getByRole('heading', { name: 'Your role does not allow this' }).waitFor();
    await page.goto(`${portal.server.url}/portal`);
    await page.getByText('Viewer').waitFor();
    expect(await page.getByRole('button', { name: 'New application' }).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });
});
