import { expect, test } from 'vitest';
import { sqlite } from '../packages/server/test/databases.ts';
import { expectAccessible, expectFits, openPortal } from './portal.ts';

const portal = openPortal(sqlite);

test('the guide can be read, searched and copied from, in the chosen theme', async () => {
  const { page, pageErrors } = await portal.visit('/guide');
  expect(new URL(page.url()).pathname).toBe('/guide/');
  await page.getByRole('link', { name: 'quick start', exact: true }).click();
  await expect.poll(() => page.title()).toBe('Quick start · Innkeeper');
  await page.waitForLoadState();
  await expectAccessible(page);

  const block = page.locator('figure.code').first();
  await block.hover();
  // "Copied" is shown only briefly.
  await Promise.all([
    block.getByRole('button', { name: 'Copied' }).waitFor(),
    block.getByRole('button', { name: 'Copy', exact: true }).click(),
  ]);
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npm ci && npm start\n');

  // With the keyboard only, search with a typo and jump to a heading on another page.
  await page.keyboard.press('/');
  await page.keyboard.type('rotate secrt');
  const found = page.getByRole('dialog').getByRole('link').first();
  await found.waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  // The new page has its scripts too.
  await page.waitForURL((url) => !url.pathname.endsWith('/quick-start'));
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.getByRole('main').getByText('rotate-secret').first().waitFor();

  // An error code leads to its own row.
  await page.keyboard.press('/');
  await page.keyboard.type('9412');
  await page.getByRole('dialog').getByRole('link', { name: 'Errors: 9412' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/guide/errors#9412');

  await page.getByRole('button', { name: 'Dark theme' }).click();
  await page.goto(`${portal.server.url}/guide/errors#0008`);
  await page.getByRole('button', { name: 'Light theme' }).waitFor();
  expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(28, 32, 34)');
  expect(await page.locator('tr:target').textContent()).toContain('specialToken is invalid');
  expect(pageErrors).toEqual([]);
});

test('it fits a phone, with a menu for all pages, and works without scripts', async () => {
  const viewport = { width: 360, height: 740 };
  const { page, pageErrors } = await portal.visit('/guide/api/manage-catalog', { viewport });
  for (const width of [360, 320, 420]) {
    await page.setViewportSize({ width, height: 740 });
    await expectFits(page);
    const shown = await page.evaluate(() =>
      [...document.querySelectorAll('.bar > *')].map((each) => each.getBoundingClientRect()).filter((box) => box.width),
    );
    for (const [place, { left }] of shown.entries()) {
      expect(left, `${width} px`).toBeGreaterThanOrEqual(shown[place - 1]?.right ?? 0);
    }
    // The header's content fits too.
    expect(await page.evaluate(() => document.querySelector('.brand')?.scrollWidth)).toBeLessThanOrEqual(
      await page.evaluate(() => document.querySelector('.brand')?.clientWidth ?? 0),
    );
  }
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('link', { name: 'Concepts' }).click();
  await page.getByRole('heading', { level: 1, name: 'Concepts' }).waitFor();
  const drawing = page.getByRole('img', { name: /^The data model/ });
  await drawing.waitFor();
  await expectFits(page);
  // The diagram is legible: its smallest text is 12 pixels high.
  expect((await drawing.boundingBox())?.width).toBeGreaterThan(600);
  for (const path of ['performance', 'operations', 'decisions']) {
    await page.goto(`${portal.server.url}/guide/${path}`);
    await expectFits(page);
  }
  expect(pageErrors).toEqual([]);

  const plain = await portal.visit('/guide/errors', { viewport, javaScriptEnabled: false });
  await plain.page.getByRole('link', { name: 'Quick start' }).first().click();
  await plain.page.getByRole('heading', { level: 1, name: 'Quick start' }).waitFor();
});
