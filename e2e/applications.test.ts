import { describe, expect, test } from 'vitest';
import { postgres } from '../packages/server/test/databases.ts';
import { download, expectAccessible, expectFits, openPortal } from './portal.ts';

const XSS = '<img src=x onerror=alert(1)> {{name}} "Ünï"';

describe('the applications of the portal', () => {
  const portal = openPortal(postgres);

  test('creates the first application and shows its secret once', async () => {
    const { page, pageErrors } = await portal.enter();
    await page.getByRole('heading', { name: 'No applications yet' }).waitFor();
    await page.getByRole('button', { name: 'New application' }).click();
    await page.getByText('Magyar').click();
    await page.getByRole('textbox', { name: 'Name' }).fill(XSS);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: `${XSS} is ready` });
    const secret = await dialog.getByLabel('clientSecret', { exact: true }).inputValue();
    expect(secret).toMatch(/^ink_/);
    // Neither a click outside nor Escape closes the dialog before the secret is stored.
    await page.mouse.click(5, 5);
    await page.keyboard.press('Escape');
    await dialog.waitFor();
    const file = await download(page, () => dialog.getByRole('button', { name: 'Download as .env' }).click());
    expect(file.text).toContain(`INNKEEPER_CLIENT_SECRET=${secret}\n`);
    await expectAccessible(page);
    // Each step leads straight to the next: the languages are already set, and nobody has to paste the secret.
    await dialog.getByRole('button', { name: 'Continue to the catalog' }).click();
    await page.getByRole('dialog', { name: 'Add group' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('2 unpublished changes').waitFor();
    await page.getByRole('button', { name: 'Add group' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('link', { name: 'Connect' }).click();
    await page.getByText('No users yet.').waitFor();
    expect(await page.getByRole('region', { name: 'curl' }).innerText()).toContain(secret);
    const clientId = page.url().split('/').at(-2) as string;
    const ada = { clientId, clientSecret: secret, clientUserId: 'ada', clientUserName: XSS };
    await portal.server.post('/api/v2/app/create-user', ada);
    await page.getByRole('link', { name: `See the selections of ${XSS}` }).click();
    await page.getByRole('heading', { name: XSS, level: 1 }).waitFor();
    await portal.server.post('/api/v2/app/create-user', { ...ada, clientUserId: 'bea', clientUserName: 'Bea' });
    await page.goBack();
    await page.getByText(`It works: ${XSS} is your first user`).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('finds an application by part of its name or clientId', async () => {
    const many = await Promise.all(Array.from({ length: 7 }, () => portal.server.application()));
    await portal.server.service.storage.applications.update(many[3]?.appId as number, { name: 'Needle' });
    const { page, pageErrors } = await portal.enter('', { viewport: { width: 380, height: 760 } });
    await page.getByRole('searchbox', { name: 'Search by name or clientId' }).fill('needl');
    await page.getByText(/^1 of \d+$/).waitFor();
    expect(await page.getByRole('listitem').count()).toBe(1);
    await page.getByRole('searchbox').fill(many[5]?.clientId.slice(4, 20) as string);
    await page.getByText(/^1 of \d+$/).waitFor();
    await page.getByText('No errors in 24 hours').waitFor();
    await page.getByText('No requests yet').waitFor();
    await expectFits(page);
    await expectAccessible(page);
    await page.getByRole('listitem').getByRole('link').click();
    await page.waitForURL(`**/applications/${many[5]?.clientId}`);
    expect(pageErrors).toEqual([]);
  });

  test('the switch and the palette know every application, however many there are', async () => {
    const { server } = portal;
    await Promise.all(Array.from({ length: 200 }, () => server.application()));
    // The list is sorted by creation time, in pages of 200.
    const newest = async (name: string) => {
      const application = await server.application();
      await server.service.storage.applications.update(application.appId, { name });
      return application.clientId;
    };
    const north = await newest('North');
    const south = await newest('South');
    const { page, pageErrors } = await portal.enter(`/applications/${north}`);
    await page.getByRole('button', { name: /North/ }).click();
    await page.getByRole('menuitem', { name: 'South' }).click();
    await page.waitForURL(`**/applications/${south}`);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('North');
    await page.getByRole('option', { name: 'North' }).click();
    await page.waitForURL(`**/applications/${north}`);
    expect(pageErrors).toEqual([]);
  });
});
