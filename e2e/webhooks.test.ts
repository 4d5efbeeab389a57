import { describe, expect, test } from 'vitest';
import { sqlite } from '../packages/server/test/databases.ts';
import { expectAccessible, expectFits, openPortal } from './portal.ts';

describe('the webhooks room', () => {
  const portal = openPortal(sqlite);

  test('a webhook is added, its secret shown once, and deleted; a private address is refused at its field', async () => {
    const { clientId } = await portal.server.application();
    const { page, complaints } = await portal.enter(`/applications/${clientId}/webhooks`);
    await page.getByText('No webhooks').waitFor();
    await page.getByRole('button', { name: 'Add webhook' }).first().click();
    const dialog = page.getByRole('dialog');
    const url = dialog.getByRole('textbox', { name: 'URL' });
    await url.fill('https://10.0.0.1/hook');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('must lead to a public address').waitFor();
    await expectAccessible(page);
    await url.fill('https://192.0.79.32/hook');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const secret = await dialog.getByText(/^whsec_/).innerText();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('https://192.0.79.32/hook').waitFor();
    expect(await page.content()).not.toContain(secret);
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('192.0.79.32');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks').waitFor();
    // The browser itself tells of the refused address.
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
  });
});
