import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../packages/server/test/databases.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { makeSignedInUser } from '../packages/server/test/http/start.ts';
import { expectFits, openPortal } from './portal.ts';

/** A window of 1280 by 800, zoomed to 200 %. */
const ZOOMED = { width: 640, height: 400 };

describe('the portal at 200 % zoom', () => {
  const portal = openPortal(sqlite);

  test('every room fits, nothing is cut off, and everything works by keyboard', async () => {
    const shop = await withCatalog(portal.server);
    const user = await makeSignedInUser(portal.server, shop.application, 'somebody.with.a.long.name@example.com');
    const home = `/applications/${shop.application.clientId}`;
    const { page, pageErrors } = await portal.enter('', { viewport: ZOOMED });
    const rooms = ['catalog', 'translations', 'revisions', 'insights', 'users', `users/${user.userCode}`, 'requests'];
    const others = ['events', 'audit', 'connect', 'credentials', 'webhooks', 'members'];
    for (const path of ['', '/account', '/audit', home, ...[...rooms, ...others].map((room) => `${home}/${room}`)]) {
      await page.goto(`${portal.server.url}/portal${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await expectFits(page);
      expect(await cutOff(page), path).toEqual([]);
      expect(await mouseOnly(page), path).toEqual([]);
    }
    expect(pageErrors).toEqual([]);
  });

  test('a message never covers a dialog', async () => {
    const shop = await withCatalog(portal.server);
    await makeSignedInUser(portal.server, shop.application);
    const { page } = await portal.enter(`/applications/${shop.application.clientId}/users`);
    for (const viewport of [{ width: 1280, height: 800 }, ZOOMED, { width: 390, height: 700 }]) {
      await page.setViewportSize(viewport);
      await page.getByRole('checkbox', { name: 'Select Test user' }).check();
      await page
        .getByRole('region', { name: 'Selected users' })
        .getByRole('button', { name: /^(Suspend|Resume)$/ })
        .first()
        .click();
      await page
        .getByRole('alert')
        .filter({ hasText: /1 user (suspended|resumed)/ })
        .first()
        .waitFor();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Import users' });
      await dialog.waitFor();
      expect(await coveredBy(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  });
});

/** Buttons and headings whose text is cut off. */
function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main button *, main h1, main h2, main label')]
      .filter((each) => each.checkVisibility() && getComputedStyle(each).overflowX !== 'visible')
      .filter((each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1)
      .map((each) => each.outerHTML.slice(0, 200)),
  );
}

/** Elements with a pointer cursor that neither contain nor belong to anything focusable. */
function mouseOnly(page: Page): Promise<string[]> {
  const focusable = 'a[href], button, input, select, textarea, summary, label, [tabindex], [role=option]';
  return page.evaluate(
    (selector) =>
      [...document.querySelectorAll<HTMLElement>('main *')]
        .filter((each) => each.checkVisibility() && getComputedStyle(each).cursor === 'pointer')
        .filter((each) => !each.closest(selector) && !each.querySelector(selector))
        .map((each) => each.outerHTML.slice(0, 200)),
    focusable,
  );
}

/** Elements on top of the dialog, sampled on a grid of points. */
function coveredBy(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const dialog = document.querySelector('[role=dialog]') as HTMLElement;
    const { left, top, width, height } = dialog.getBoundingClientRect();
    const shares = Array.from({ length: 15 }, (_, index) => (index + 0.5) / 15);
    return shares
      .flatMap((across) => shares.map((down) => [left + across * width, top + down * height] as const))
      .filter(([x, y]) => y < innerHeight && x < innerWidth)
      .flatMap(([x, y]) => {
        const over = document.elementFromPoint(x, y);
        return over && !dialog.contains(over) ? [over.outerHTML.slice(0, 200)] : [];
      });
  });
}
