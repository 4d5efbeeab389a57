/// <reference lib="dom" />
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { chromiumHere } from '../packages/server/test/browser.ts';
import { freePort } from '../packages/server/test/free-port.ts';
import { startPostgres } from '../packages/server/test/postgres-server.ts';
import { innkeeper } from './service.ts';
import { setStage } from './stage.ts';

/**
 * Every room of the portal on a slow 4G connection, in a real Chromium against the real service with many users: the time until
 * it is interactive (it shows its content, and its thread is idle), until nothing in sight is counted any more, and what
 * its first visit loads.
 * Run: npm run bench:rooms [USERS] [sqlite|postgres] [waterfall]
 */
const [users = 1_000_000] = process.argv.slice(2).map(Number);
const [, kind = 'sqlite', withWaterfall] = process.argv.slice(2);
/** Lighthouse's slow 4G: 1.6 Mbit/s down, 0.75 up, 150 ms round trip. */
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 96_000 };
/** The goal. */
const GOAL_MS = 1_500;
const QUIET_MS = 200;
/** Counting the selections of millions of users takes minutes. */
const COUNTED_MS = 10 * 60_000;
const LOADING = '.mantine-Loader-root';
/** Counts among millions, which appear one by one while the room can already be used. */
const COUNTING = '.mantine-Skeleton-root';

const folder = await mkdtemp(join(tmpdir(), 'innkeeper-rooms-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const env = { INNKEEPER_PORT: String(port), INNKEEPER_PUBLIC_URL: url, INNKEEPER_LOG_LEVEL: 'warn' };
const postgres = kind === 'postgres' ? await startPostgres({ durable: true }) : undefined;
const databaseUrl = (await postgres?.createDatabase()) ?? `sqlite:${join(folder, 'bench.db')}`;
const stage = await setStage({ databaseUrl, folder, users, env });
const browser = await chromium.launch(await chromiumHere());
try {
  const made = await innkeeper(['admin', 'create', '--email', 'bench@example.com', '--json'], stage.settings);
  const { link } = JSON.parse(made) as { link: string };
  const window = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });
  await window.addInitScript(observe);
  const page = await window.newPage();
  const session = await window.newCDPSession(page);
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Account / }).waitFor();
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW_4G);

  const home = `/portal/applications/${stage.clientId}`;
  const [user] = stage.users;
  const rooms = ['', 'catalog', 'translations', 'revisions', 'users', `users/${user?.code}`, 'insights', 'requests'];
  const others = ['events', 'audit', 'connect', 'credentials', 'webhooks', 'members'];
  const paths = [...rooms, ...others].map((room) => (room === '' ? home : `${home}/${room}`));
  console.log(
    `| room, ${users} users, ${kind}, slow 4G, load ${loadavg()[0]?.toFixed(1)} | first visit, ms | again, ms | complete, ms | requests | kB |`,
  );
  console.log('| --- | --- | --- | --- | --- | --- |');
  let slowest = 0;
  for (const path of ['/portal', ...paths]) {
    // The first visit, coming from another room as people do: its files are not in the browser yet.
    await page.goto(`${url}/portal/account`);
    await ready(page);
    const { ms: first, complete, loaded } = await opened(page, path);
    await page.goto(`${url}${path}`);
    const again = await ready(page);
    slowest = Math.max(slowest, first, again);
    const name = path
      .slice(home.length)
      .replace(/^\//, '')
      .replace(user?.code ?? '-', '…');
    const kB = Math.round(loaded.reduce((sum, { bytes }) => sum + bytes, 0) / 1000);
    console.log(
      `| ${path === '/portal' ? 'applications' : name || 'overview'} | ${first} | ${again} | ${complete} | ${loaded.length} | ${kB} |`,
    );
    if (withWaterfall === undefined) continue;
    for (const each of loaded) console.log(`    ${each.from} to ${each.to} ms, ${each.bytes} bytes: ${each.what}`);
    for (const each of await loadedSince(page, 0)) {
      console.log(`  again ${each.from} to ${each.to} ms, ${each.bytes} bytes: ${each.what}`);
    }
  }
  console.log(`\nSlowest: ${slowest} ms; goal: ${GOAL_MS} ms.`);
} finally {
  await browser.close();
  await stage.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
}

/** From one room to another: the portal's router loads what it needs. */
async function opened(page: Page, path: string): Promise<{ ms: number; complete: number; loaded: Loaded[] }> {
  const begun = await page.evaluate((to) => {
    const at = performance.now();
    const left = window as unknown as { left: Element | null };
    left.left = document.querySelector('main h1');
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
    return at;
  }, path);
  const ms = Math.round((await readyAt(page, path)) - begun);
  const complete = Math.round((await readyAt(page, path, `${LOADING}, ${COUNTING}`)) - begun);
  return { ms, complete, loaded: await loadedSince(page, begun) };
}

type Loaded = { what: string; from: number; to: number; bytes: number };

/** What was loaded over the network, by the browser's own entries. */
async function loadedSince(page: Page, begun: number): Promise<Loaded[]> {
  return page.evaluate(
    (since) =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ startTime, transferSize }) => startTime >= since && transferSize > 0)
        .map(({ name, startTime, responseEnd, transferSize }) => ({
          what: name.replace(location.origin, ''),
          from: Math.round(startTime - since),
          to: Math.round(responseEnd - since),
          bytes: transferSize,
        })),
    begun,
  );
}

/** Since the page was requested. */
async function ready(page: Page): Promise<number> {
  return Math.round(await readyAt(page, new URL(page.url()).pathname));
}

/** When the room has its title, nothing in it is loading, and its thread was idle for a while. */
async function readyAt(page: Page, path: string, isBusy = LOADING): Promise<number> {
  const found = await page.waitForFunction(
    ({ path, quiet, isBusy }) => {
      const room = document.querySelector('main');
      // Content further down is loaded when scrolled to.
      const loading = [...(room?.querySelectorAll(isBusy) ?? [])];
      const isLoading = loading.some((each) => each.getBoundingClientRect().top < innerHeight);
      const noted = window as unknown as { lastTask: number; shownAt: number | undefined; left?: Element | null };
      const title = room?.querySelector('h1');
      // The previous room stays until the next one is ready.
      if (location.pathname !== path || !title || title === noted.left || isLoading) {
        noted.shownAt = undefined;
        return false;
      }
      noted.shownAt ??= performance.now();
      const free = Math.max(noted.shownAt, noted.lastTask);
      return performance.now() - free > quiet && free;
    },
    { path, quiet: QUIET_MS, isBusy },
    { timeout: COUNTED_MS, polling: 'raf' },
  );
  return Number(await found.jsonValue());
}

function observe(): void {
  const noted = window as unknown as { lastTask: number };
  noted.lastTask = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) noted.lastTask = startTime + duration;
  }).observe({ type: 'longtask', buffered: true });
}
