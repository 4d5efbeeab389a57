import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { sqlite } from '../packages/server/test/databases.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { makeSignedInUser } from '../packages/server/test/http/start.ts';
import { manageWith } from '../packages/server/test/manage/manage.ts';
import { expectFocus, openPortal } from './portal.ts';

/** More than any room needs. */
const MAX_STOPS = 300;

const ROOMS = [
  ...['', '/account', '/audit', 'HOME', 'HOME/catalog', 'HOME/translations', 'HOME/revisions', 'HOME/users'],
  ...['HOME/users/USER', 'HOME/insights', 'HOME/requests', 'HOME/events', 'HOME/audit', 'HOME/connect'],
  ...['HOME/credentials', 'HOME/webhooks', 'HOME/members'],
];

/** A focused element, and how it is displayed. */
type Stop = {
  what: string;
  isKnown: boolean;
  isInSight: boolean;
  isMarked: boolean;
  coveredBy: string | null;
  /** Follows the previous one in document order, which is the order of a screen reader. */
  isAfter: boolean;
};

/** Stored in the page: the elements that had the focus. */
type Walking = Window & { stops?: Element[] };

describe('the portal by keyboard', () => {
  const portal = openPortal(sqlite);
  let home: string;
  let userCode: string;

  /** Once everything has loaded. */
  const enter = async (path: string) => {
    const visit = await portal.enter(path.replace('HOME', home).replace('USER', userCode));
    await visit.page.getByRole('heading', { level: 1 }).waitFor();
    await visit.page.waitForLoadState('networkidle');
    await visit.page.waitForFunction(
      () => document.querySelector('.mantine-Loader-root, .mantine-Skeleton-root') === null,
    );
    return visit;
  };

  beforeAll(async () => {
    const { server } = portal;
    const shop = await withCatalog(server);
    home = `/applications/${shop.application.clientId}`;
    ({ userCode } = await makeSignedInUser(server, shop.application, 'somebody@example.com'));
    await server.post('/api/user_options', await shop.choice('fruit', ['pear'], { user_uid: userCode }), shop.apiKey);
    const manage = await manageWith(server);
    const url = 'https://app.example.com/events';
    expect((await manage.send('POST', `${home}/webhooks`, { url, description: 'Mailing list' })).status).toBe(201);
  });

  test.each(ROOMS)('Tab goes through "%s": visible, in order, nothing missed', async (path) => {
    const { page, pageErrors } = await enter(path);
    const problems: string[] = [];
    for (const { what, isInSight, isMarked, coveredBy, isAfter } of await walk(page, 'Tab', 'main')) {
      if (!isInSight) problems.push(`out of sight: ${what}`);
      if (!isMarked) problems.push(`not marked: ${what}`);
      if (coveredBy) problems.push(`${what} is behind ${coveredBy}`);
      if (!isAfter) problems.push(`not in order: ${what}`);
    }
    problems.push(...(await page.evaluate(missed, 'main')).map((what) => `missed: ${what}`));
    expect(problems).toEqual([]);
    expect(pageErrors).toEqual([]);
  });

  test('Tab goes through the whole page and leaves it, and Shift+Tab goes back', async () => {
    const { page } = await enter('HOME/revisions');
    const forth = (await walk(page, 'Tab', 'body')).map(({ what }) => what);
    expect(forth[0]).toContain('Skip to content');
    expect(await page.evaluate(missed, 'body')).toEqual([]);
    const back = (await walk(page, 'Shift+Tab', 'body')).map(({ what }) => what);
    expect(back.reverse()).toEqual(forth);
  });

  test.each([
    ['', 'New application', 'dialog'],
    ['', /^Search/, 'dialog'],
    ['', /^Account /, 'menu'],
    ['HOME', /^Switch application/, 'menu'],
    ['HOME', 'Notifications', 'dialog'],
    ['HOME/users/USER', /^Change /, 'dialog'],
  ] as const)('%s: %s opens, traps the focus, and returns it', async (path, name, role) => {
    const { page } = await enter(path);
    await openAndClose(page, name, role);
  });

  test('a dialog opened from a menu returns the focus to the button of the menu', async () => {
    const { page } = await enter('HOME/users/USER');
    const opener = page.getByRole('button', { name: 'Actions', exact: true });
    await opener.focus();
    await page.keyboard.press('Enter');
    const item = page.getByRole('menuitem', { name: 'Rename user…' });
    await item.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await expect.poll(() => dialog.evaluate((each) => each.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expectFocus(opener);
  });
});

async function openAndClose(page: Page, name: string | RegExp, role: 'dialog' | 'menu'): Promise<void> {
  const opener = page.getByRole('button', { name, exact: true }).first();
  await opener.focus();
  await page.keyboard.press('Enter');
  const opened = page.getByRole(role).first();
  await opened.waitFor();
  await expect.poll(() => opened.evaluate((each) => each.contains(document.activeElement))).toBe(true);
  await page.keyboard.press('Escape');
  await opened.waitFor({ state: 'detached' });
  await expectFocus(opener);
}

/** Starts at the beginning or end of this part of the page, and presses the key until the focus has left it. */
async function walk(page: Page, key: 'Tab' | 'Shift+Tab', part: 'body' | 'main'): Promise<Stop[]> {
  await page.evaluate((name) => {
    (document.activeElement as HTMLElement | null)?.blur();
    getSelection()?.removeAllRanges();
    (window as Walking).stops = [];
    if (name === 'main') document.querySelector('main')?.focus();
  }, part);
  const stops: Stop[] = [];
  while (stops.length < MAX_STOPS) {
    await page.keyboard.press(key);
    const stop = await page.evaluate(lookAt, part);
    if (stop?.isKnown || (stop === null && (stops.length > 0 || part === 'main'))) return stops;
    if (stop) stops.push(stop);
  }
  throw new Error(`The focus never leaves: ${stops.slice(-5).map(({ what }) => what)}`);
}

/** Runs in the page: controls without focus, except those that arrow keys move between. */
function missed(part: string): string[] {
  const usable = 'a[href], button, input, select, textarea, summary, [role=button], [role=switch], [tabindex="0"]';
  const byArrows = '[role=gridcell], [role=tab], [role=option], [role=treeitem], [role=radio], input[type=radio]';
  return [...(document.querySelector(part)?.querySelectorAll<HTMLElement>(usable) ?? [])]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.matches(':disabled, [inert] *'))
    .filter((each) => !each.closest(byArrows) && !each.closest('[aria-hidden=true]'))
    .filter((each) => !(window as Walking).stops?.includes(each))
    .map((each) => each.outerHTML.slice(0, 300));
}

/** Runs in the page. */
function lookAt(part: string): Stop | null {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body || !focused.closest(part)) return null;
  const { stops = [] } = window as Walking;
  const before = stops.at(-1);
  const isKnown = stops.includes(focused);
  stops.push(focused);
  const isSeen = (each: Element): boolean => {
    const { width, height } = each.getBoundingClientRect();
    return width > 1 && height > 1 && getComputedStyle(each).opacity !== '0';
  };
  // A switch or a segment is a hidden input with a visible label.
  const label = (focused as HTMLInputElement).labels?.[0];
  const seen = isSeen(focused) ? focused : (label ?? focused.parentElement ?? focused);
  const { left, top, right, bottom } = seen.getBoundingClientRect();
  const isOutlined = (each: Element | null | undefined): boolean =>
    [undefined, '::before', '::after'].some((pseudo) => {
      if (!each) return false;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each, pseudo);
      return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none';
    });
  // Text fields show focus with the cursor and another border colour.
  const isField = focused.matches('input:not([type=checkbox], [type=radio]), textarea, select');
  const around = [focused, seen, focused.nextElementSibling, focused.parentElement, label?.firstElementChild];
  const within = (value: number, most: number) => Math.min(Math.max(value, 1), most - 1);
  const over = document.elementFromPoint(
    within((left + right) / 2, innerWidth),
    within((top + bottom) / 2, innerHeight),
  );
  const isOwn = !over || over.contains(seen) || seen.contains(over) || over.contains(focused);
  const name = focused.getAttribute('aria-label') ?? label?.textContent ?? focused.textContent ?? '';
  return {
    what: `${focused.tagName.toLowerCase()} "${name.slice(0, 60)}"`,
    isKnown,
    isInSight: isSeen(seen) && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth,
    isMarked: isField || around.some(isOutlined),
    coveredBy: isOwn || (label && over.closest('label') === label) ? null : over.outerHTML.slice(0, 150),
    isAfter: !before || (before.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
  };
}
