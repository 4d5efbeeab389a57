import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { postgres } from '../packages/server/test/databases.ts';
import { manageWith } from '../packages/server/test/manage/manage.ts';
import { download, expectAccessible, expectFits, openPortal } from './portal.ts';

const XSS = '<img src=x onerror=alert(1)>';

describe('the audit log of the portal', () => {
  const portal = openPortal(postgres);

  test('shows who changed what, before and after, in pages', async () => {
    const { clientId } = await portal.server.application();
    const manage = await manageWith(portal.server, { name: XSS });
    const path = `/applications/${clientId}`;
    const { page, pageErrors } = await portal.enter(`${path}/audit`);
    await page.getByRole('heading', { name: 'No changes yet' }).waitFor();
    await manage.send('PATCH', path, { name: XSS, settings: { accessTokenTtl: '2h' } });
    await manage.send('POST', `${path}/secrets`, {});
    for (let round = 0; round < 50; round++) await manage.send('PATCH', path, { name: `Round ${round}` });
    await page.reload();
    await page.getByText('Application changed: Round 49').waitFor();
    expect(await page.getByRole('listitem').count()).toBe(50);
    await page.getByRole('button', { name: 'Show older' }).click();
    const first = page.getByRole('listitem').filter({ hasText: `Application changed: ${XSS}` });
    await first.getByText(`By token “${XSS}” (`).waitFor();
    expect(await first.getByRole('row').allInnerTexts()).toEqual([
      'Field\tBefore\tAfter',
      `Name\tTest\t${XSS}`,
      'Access token lifetime\tdefault\t2 hours',
    ]);
    await expectAccessible(page);
    await page.setViewportSize({ width: 380, height: 760 });
    await expectFits(page);
    expect(await brokenWords(first.locator('th, td:first-child'))).toEqual([]);
    await page.getByRole('searchbox', { name: 'Search' }).fill('ROUND 17');
    await expect.poll(() => page.getByRole('listitem').count()).toBe(2);
    await expectFits(page);
    await page.getByRole('searchbox', { name: 'Search' }).fill('nothing of the kind');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => page.getByRole('listitem').count()).toBeGreaterThanOrEqual(50);
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'Secret rotated', exact: true }).click();
    await expect.poll(() => page.getByRole('listitem').count()).toBe(1);
    await expectFits(page);
    const file = await download(page, () => page.getByRole('button', { name: 'Export CSV' }).click());
    const [head, ...lines] = file.text.trim().split('\r\n');
    expect([file.name, head]).toEqual(['audit.csv', 'at,actor,action,subject,userUid,before,after']);
    expect(lines).toEqual([expect.stringContaining(',secret.rotated,')]);
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'Last hour' }).click();
    await expect.poll(() => page.getByRole('listitem').count()).toBe(1);
    await page.getByRole('combobox', { name: 'Time' }).click();
    await page.getByRole('option', { name: 'Custom…' }).click();
    await page.getByLabel('To', { exact: true }).fill('2020-01-02T00:00');
    await page.getByLabel('From', { exact: true }).fill('2020-01-01T00:00');
    await page.getByRole('heading', { name: 'No matching changes' }).waitFor();
    await expectFits(page);
    // Changes not tied to one application have their own page.
    await page.getByRole('button', { name: /^Account / }).click();
    expect(await page.getByRole('menuitem', { name: 'Guide' }).getAttribute('href')).toMatch(/\/guide\/$/);
    await page.getByRole('menuitem', { name: 'Installation audit log' }).click();
    await page.getByRole('heading', { name: 'Installation audit log' }).waitFor();
    await manage.send('DELETE', `${path}?confirm=${clientId}`);
    await page.reload();
    await page.getByText('Application deleted: Round 49').waitFor();
    await expectFits(page);
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });
});

/** Words that are broken across lines. */
function brokenWords(cells: Locator): Promise<string[]> {
  return cells.evaluateAll((all) =>
    all.flatMap((cell) => {
      const text = cell.firstChild as Text;
      return [...text.data.matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        return range.getClientRects().length > 1 ? [word] : [];
      });
    }),
  );
}
