import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import type { Settings } from '../packages/server/src/service-settings.ts';
import { startTestServer, type TestServer } from '../packages/server/test/http/start.ts';
import { cookieOf, openSession, signInToken } from '../packages/server/test/portal/portal.ts';

/** A page of the portal, and the errors that the browser reported. */
export type Visit = { page: Page; pageErrors: string[] };

export type Portal = {
  readonly server: TestServer;
  /** Opens a path of the service until the end of the test, in the session of `cookie` if given. */
  visit(path: string, options?: BrowserContextOptions & { cookie?: string }): Promise<Visit>;
  /** Like `visit`, but signed in; `path` is inside the portal, as in '/applications/1_x/catalog'. */
  enter(path?: string, options?: BrowserContextOptions & { email?: string }): Promise<Visit>;
};

const VIEWPORT = { width: 1280, height: 800 };

/** The Chromium that belongs to this worker. */
export async function ownBrowser(): Promise<Browser> {
  const urls = inject('browserUrls');
  return chromium.connect(urls[Number(process.env.VITEST_POOL_ID) % urls.length] as string);
}

/**
 * Call it in a file or a describe: it starts a service on this database and a browser for all tests in it. Each room is
 * tested on one database only: pages use HTTP, which is tested on both.
 */
export function openPortal(
  database: { fresh(): Promise<string> },
  settings: () => Settings | Promise<Settings> = () => ({}),
): Portal {
  let server: TestServer;
  let browser: Browser;
  /** A page that has shown the portal before opens it twice as fast, so pages without special options are reused. */
  const kept: Page[] = [];
  const taken: Page[] = [];
  const open: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    server = await startTestServer(await database.fresh(), await settings());
    browser = await ownBrowser();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await describePages(browser);
    for (const window of open.splice(0)) await window.close();
    for (const page of taken.splice(0)) {
      if (task.result?.state === 'fail') await page.context().close();
      else {
        await forget(page, server.url);
        kept.push(page);
      }
    }
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Without animations, so that clicks hit what they aim at. */
  const openPage = async (options: BrowserContextOptions): Promise<Page> => {
    const usually = { locale: 'en-GB', reducedMotion: 'reduce', viewport: VIEWPORT } as const;
    const permissions = ['clipboard-read', 'clipboard-write'];
    const window = await browser.newContext({ ...usually, permissions, ...options });
    return window.newPage();
  };
  const pageWith = async ({ viewport, ...special }: BrowserContextOptions): Promise<Page> => {
    if (Object.keys(special).length === 0) {
      const page = kept.pop() ?? (await openPage({}));
      taken.push(page);
      if (viewport) await page.setViewportSize(viewport);
      return page;
    }
    const page = await openPage({ ...special, ...(viewport && { viewport }) });
    open.push(page.context());
    return page;
  };
  const visitIn = async (page: Page, path: string, cookie?: string): Promise<Visit> => {
    if (cookie !== undefined) {
      const [name = '', value = ''] = cookie.split('=');
      await page.context().addCookies([{ name, value, url: server.url, httpOnly: true, sameSite: 'Strict' }]);
    }
    const pageErrors = listen(page, server.url);
    await page.goto(server.url + path);
    return { page, pageErrors };
  };
  return {
    get server() {
      return server;
    },
    visit: async (path, { cookie, ...options } = {}) => visitIn(await pageWith(options), path, cookie),
    async enter(path = '', { email, ...options } = {}) {
      const opened = await openSession(server, { token: await signInToken(server, email) }, { 'user-agent': CHROMIUM });
      const arrived = await visitIn(await pageWith(options), `/portal${path}`, cookieOf(opened));
      await arrived.page.getByRole('button', { name: /@/ }).first().waitFor();
      return arrived;
    },
  };
}

/** Prints what the pages of a failed test showed: the error alone rarely explains why something did not appear. */
async function describePages(browser: Browser): Promise<void> {
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    if (page.url().endsWith('/livez')) continue;
    const shown = await page.evaluate(() => document.body.innerText).catch(String);
    console.error(`${page.url()}\n${shown}\n`);
  }
}

/** Clears all state that a test left in this page, before the next test uses it. */
async function forget(page: Page, origin: string): Promise<void> {
  for (const event of ['console', 'dialog', 'pageerror', 'request', 'response'] as const)
    page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.goto(`${origin}/livez`);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.context().clearCookies();
  await page.setViewportSize(VIEWPORT);
}

const CHROMIUM =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** Collects page errors, Content-Security-Policy violations and requests to other hosts. */
function listen(page: Page, origin: string): string[] {
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(error.message));
  page.on('console', (message) => {
    // The browser logs every 4xx response as an error; the page handles those itself. Policy violations still count.
    const isRefusal = /the server responded with a status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isRefusal) pageErrors.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, origin: target } = new URL(request.url());
    if (protocol.startsWith('http') && target !== origin) pageErrors.push(`requested ${request.url()}`);
  });
  return pageErrors;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Header and navigation entries that axe has already checked, in each of their states and in both themes. */
const seenEntries = new Set<string>();

/** Expects no serious axe violation, in either theme. */
export async function expectAccessible(page: Page): Promise<void> {
  // A script element would be blocked by the page's Content-Security-Policy.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const entries = await page.evaluate(markFrame, [...seenEntries]);
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    const found = await page.evaluate(
      async ({ options, isDark }) => {
        const { axe } = window as unknown as { axe: Axe };
        // Rows of a table and items of a list are alike, so only the first five are checked.
        const context = { exclude: [['tbody tr:nth-child(n + 6)'], ['li:nth-child(n + 6)'], ['[data-axe-seen]']] };
        const isSerious = (impact: string) => impact === 'serious' || impact === 'critical';
        const others = axe._audit.rules.filter(({ impact }) => !isSerious(impact));
        const rules = Object.fromEntries(others.map(({ id }) => [id, { enabled: false }]));
        // The dark theme only changes colours.
        const which = isDark ? { runOnly: ['color-contrast'] } : { rules };
        const { violations } = await axe.run(context, { ...options, ...which });
        return violations
          .filter(({ impact }) => isSerious(impact))
          .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
      },
      { options: VIOLATIONS, isDark: theme === 'dark' },
    );
    expect(found, theme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: null });
  for (const entry of entries) seenEntries.add(entry);
}

/**
 * Marks entries of the header and navigation that were already checked in this state; returns the others, unless
 * something covers them.
 */
function markFrame(seen: readonly string[]): string[] {
  const frame = '.mantine-AppShell-header, .mantine-AppShell-navbar';
  return [...document.querySelectorAll(`:is(${frame}) :is(a, button, input)`)].flatMap((entry) => {
    entry.removeAttribute('data-axe-seen');
    // Addresses and generated ids are not part of the state.
    const form = `${innerWidth} ${entry.outerHTML.replaceAll(/ (?:href|id|aria-[a-z]+)="[^"]*\d[^"]*"/g, '')}`;
    if (seen.includes(form)) entry.setAttribute('data-axe-seen', '');
    const { x, y, width, height } = entry.getBoundingClientRect();
    const top = document.elementFromPoint(x + width / 2, y + height / 2);
    return top && entry.contains(top) ? [form] : [];
  });
}

/** Collecting passes, selectors and style sheets of other hosts would double axe's time. */
const VIOLATIONS = { resultTypes: ['violations'], selectors: false, preload: false };

type Axe = {
  run(
    context: { exclude: string[][] },
    options: typeof VIOLATIONS & ({ runOnly: string[] } | { rules: Record<string, { enabled: boolean }> }),
  ): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
  /** Undocumented: the list of rules. */
  _audit: { rules: { id: string; impact: string }[] };
};

/** Expects no horizontal scrolling. */
export async function expectFits(page: Page): Promise<void> {
  // Layout may take a moment to follow the window's width.
  const overhang = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await expect.poll(overhang).toBeLessThanOrEqual(0);
}

/** Expects this element to have the focus. */
export async function expectFocus(field: Locator): Promise<void> {
  await expect.poll(() => field.evaluate((each) => each === document.activeElement)).toBe(true);
}

/** Expects that only its own buttons close this dialog, because its content is shown only once. */
export async function expectHeld(page: Page, dialog: Locator): Promise<void> {
  // The previous dialog may still be fading out.
  await expect.poll(() => dialog.count()).toBe(1);
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await page.keyboard.press('Escape');
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await dialog.isVisible()).toBe(true);
  expect(await dialog.getByRole('button', { name: 'Close' }).count()).toBeLessThanOrEqual(1);
}

/** Holds requests of this method to this address until the returned function is called. */
export async function holdRequests(page: Page, method: string, address: RegExp): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    if (route.request().method() === method) await held.promise;
    await route.fallback();
  });
  return held.resolve;
}

/** The file that the page downloads during `act`. */
export async function download(page: Page, act: () => Promise<void>): Promise<{ name: string; text: string }> {
  const [file] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: file.suggestedFilename(), text: await text(await file.createReadStream()) };
}
