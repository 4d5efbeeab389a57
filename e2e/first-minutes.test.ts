import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../packages/server/test/databases.ts';
import { PASSWORD, setUpToken } from '../packages/server/test/portal/portal.ts';
import { expectFocus, openPortal } from './portal.ts';

const run = promisify(execFile);

/** A new operator's path through every room, with nothing prepared. */
describe('the first minutes with the portal', () => {
  const portal = openPortal(sqlite);
  const go = (page: Page, room: string) =>
    page.getByRole('navigation').getByRole('link', { name: room, exact: true }).click();

  test("from the set-up link to the first user's selection", async () => {
    const { page, pageErrors } = await portal.visit(`/portal/sign-in#${await setUpToken(portal.server)}`);
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');

    await page.getByRole('button', { name: 'New application' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Deutsch').click();
    await dialog.getByText('Español').click();
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Shop');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Copy secret and continue' }).click();

    const text = (language: string) => dialog.getByLabel(language, { exact: true });
    const add = dialog.getByRole('button', { name: 'Add', exact: true });
    await text('English').fill('Notices');
    await dialog.getByRole('button', { name: 'Add and continue to keys' }).click();
    await dialog.getByText('Yes or no', { exact: true }).click();
    await text('English').fill('Newsletter');
    await dialog.getByRole('button', { name: 'Add another' }).click();
    await page.getByText('Added: Newsletter.').waitFor();
    await expectFocus(text('English'));
    await text('English').fill('Times a week');
    await dialog.getByText('Whole number', { exact: true }).click();
    await add.click();
    await page.getByRole('heading', { name: 'Times a week', level: 2 }).waitFor();
    await page
      .getByRole('navigation', { name: 'Groups and keys' })
      .getByRole('button', { name: 'Group', exact: true })
      .click();
    await text('English').fill('Looks');
    await dialog.getByRole('button', { name: 'Add and continue to keys' }).click();
    await dialog.getByText('Single choice', { exact: true }).click();
    await text('English').fill('Colour');
    await page.getByLabel('Options: English').fill('Blue\nRed');
    await add.click();
    await page.getByRole('heading', { name: 'Colour', level: 2 }).waitFor();

    await go(page, 'Translations');
    await page.getByRole('row', { name: 'Newsletter' }).getByRole('gridcell').nth(1).click();
    await page.keyboard.type('Rundbrief');
    await page.keyboard.press('Enter');
    await page.getByText('All changes saved to draft').waitFor();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Published as revision 1.').waitFor();

    await go(page, 'Connect');
    await page.getByText('Published as revision 1.').waitFor({ state: 'detached' });
    const snippet = page.getByRole('region', { name: 'curl' });
    await expect.poll(() => snippet.innerText()).toContain('/api/user_options');
    await run('bash', ['-euc', await snippet.innerText()]);
    await page.getByRole('link', { name: /^See the selections of / }).click();
    await page.getByRole('row', { name: /Newsletter.*Yes/ }).waitFor();

    for (const [room, seen] of [
      ['Users', /./],
      ['Insights', 'Key'],
      ['Requests', 'POST /api/user_options'],
      ['Audit log', 'Catalog published'],
      ['Credentials', 'clientId'],
    ] as const) {
      await go(page, room);
      await page.getByRole('heading', { name: room, level: 1 }).waitFor();
      await page.getByRole('main').getByText(seen).first().waitFor();
    }
    await go(page, 'Overview');
    await page.getByRole('heading', { name: 'Shop', level: 1 }).waitFor();
    expect(pageErrors).toEqual([]);
  });
});
