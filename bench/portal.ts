/// <reference lib="dom" />
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromiumHere } from '../packages/server/test/browser.ts';
import { freePort } from '../packages/server/test/free-port.ts';
import { innkeeper, type Service, startService } from './service.ts';

/**
 * The portal's grid of translations with 5,000 keys in 10 languages, in a real Chromium against the real service on
 * SQLite: first paint, scrolling, typing and pasting, by the browser's own performance entries. Run: npm run
 * bench:portal
 */
const GROUPS = 100;
const KEYS_PER_GROUP = 50;
const TAGS = 'en de es fr it pt nl pl hu ar'.split(' ');
const ROOT = join(import.meta.dirname, '..');

/** What the page records about itself; cleared between two measurements. */
type Noted = { longTasks: number[]; events: number[]; frames: number[] };

const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const settings = {
  INNKEEPER_DATABASE_URL: `sqlite:${join(folder, 'bench.db')}`,
  INNKEEPER_PORT: String(port),
  INNKEEPER_PUBLIC_URL: url,
  INNKEEPER_LOG_LEVEL: 'warn',
};
const run = (...args: string[]): Promise<string> => innkeeper(args, settings);
let worked: () => Promise<number> = async () => Number.NaN;
let service: Service | undefined;
let browser: Browser | undefined;
try {
  spawnSync(process.execPath, [join(ROOT, 'scripts/build.js')], { stdio: 'inherit' });
  const { clientId } = JSON.parse(await run('app', 'create', '--name', 'Large', '--json')) as { clientId: string };
  const file = join(folder, 'catalog.json');
  await writeFile(file, JSON.stringify(makeCatalog()));
  await run('catalog', 'apply', file, '--app', clientId);
  const { link } = JSON.parse(await run('admin', 'create', '--email', 'bench@example.com', '--json')) as {
    link: string;
  };
  service = await startService(settings);

  browser = await chromium.launch(await chromiumHere());
  const window = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1280, height: 800 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await window.addInitScript(observe);
  const page = await window.newPage();
  const session = await window.newCDPSession(page);
  // Count the time that the page's thread worked, not the time it waited for a processor.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  worked = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  };
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: /^Account / }).waitFor();

  const loadBefore = loadavg()[0]?.toFixed(1);
  console.log(`| ${GROUPS * KEYS_PER_GROUP} keys, ${TAGS.length} languages, load ${loadBefore} | |\n| --- | --- |`);
  await measureOpening(page, clientId);
  await measureScrolling(page);
  await measureMoving(page);
  await measureTyping(page);
  await measurePasting(page);
} finally {
  await browser?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureOpening(page: Page, clientId: string): Promise<void> {
  for (const visit of ['first visit', 'again, files cached']) {
    await page.goto(`${url}/portal/applications/${clientId}/translations`);
    await page.getByRole('gridcell').first().waitFor();
    const shown = await page.evaluate(() => performance.now());
    await page.getByText('Loading more texts…').waitFor({ state: 'detached' });
    const whole = await page.evaluate(() => performance.now());
    const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0);
    const { longTasks } = await noted(page);
    row(`${visit}: first contentful paint`, `${paint.toFixed(0)} ms`);
    row(`${visit}: first rows in the grid`, `${shown.toFixed(0)} ms`);
    row(`${visit}: all rows`, `${whole.toFixed(0)} ms; long tasks ${describeTasks(longTasks)}`);
  }
  const script = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('.js'))
      .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
  );
  row('script of this room, as sent', `${Math.round(script / 1024)} KiB`);
  row('elements in the page', String(await page.evaluate(() => document.querySelectorAll('*').length)));
}

async function measureScrolling(page: Page): Promise<void> {
  await page.getByRole('grid').hover();
  for (const [what, across, down] of [
    ['down', 0, 240],
    ['down, flung', 0, 4_000],
    ['across and back', 300, 0],
  ] as const) {
    await noted(page);
    const before = await worked();
    const stop = await countFrames(page);
    for (let step = 0; step < 60; step++) {
      await page.mouse.wheel(across * (step % 20 < 10 ? 1 : -1), down);
      await page.waitForTimeout(16);
    }
    await stop();
    const { frames, longTasks } = await noted(page);
    const work = ((await worked()) - before) / 60;
    row(
      `scrolling ${what}, 60 steps: time between frames`,
      `p50 ${percentile(frames, 50)}, p95 ${percentile(frames, 95)}, most ${percentile(frames, 100)} ms; long tasks ${describeTasks(longTasks)}; ${work.toFixed(1)} ms of work a step`,
    );
  }
}

async function measureMoving(page: Page): Promise<void> {
  await page.getByRole('gridcell').nth(6).click();
  await noted(page);
  const before = await worked();
  for (let step = 0; step < 200; step++) await page.keyboard.press(step % 10 === 9 ? 'ArrowRight' : 'ArrowDown');
  const { events, longTasks } = await noted(page);
  const work = ((await worked()) - before) / 200;
  row(
    '200 arrow keys: key to next paint',
    `${spread(events)}; long tasks ${describeTasks(longTasks)}; ${work.toFixed(1)} ms of work a key`,
  );
}

async function measureTyping(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('ArrowRight');
  await noted(page);
  const before = await worked();
  for (let cell = 0; cell < 30; cell++) {
    await page.keyboard.type(`Text ${cell}`);
    await page.keyboard.press('Enter');
  }
  const { events, longTasks } = await noted(page);
  const work = ((await worked()) - before) / 30;
  row(
    '30 texts typed, each with Enter: key to next paint',
    `${spread(events)}; long tasks ${describeTasks(longTasks)}; ${work.toFixed(1)} ms of work a text`,
  );
  await saved(page);
}

async function measurePasting(page: Page): Promise<void> {
  const column = Array.from({ length: 5_000 }, (_, index) => `Pasted ${index}`).join('\n');
  await page.evaluate((text) => navigator.clipboard.writeText(text), column);
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('ArrowRight');
  await noted(page);
  const workBefore = await worked();
  const before = performance.now();
  await page.keyboard.press('ControlOrMeta+v');
  await page.getByText('texts pasted').waitFor();
  const shown = performance.now() - before;
  const work = (await worked()) - workBefore;
  await saved(page);
  row('5,000 texts pasted: shown', `${shown.toFixed(0)} ms; ${work.toFixed(0)} ms of work`);
  row('5,000 texts pasted: all saved', `${((performance.now() - before) / 1000).toFixed(1)} s`);
  const undone = performance.now();
  await page.keyboard.press('ControlOrMeta+z');
  await page.getByText('changes undone').waitFor();
  row('5,000 texts undone: shown', `${(performance.now() - undone).toFixed(0)} ms`);
  await saved(page);
  const sent = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .filter(({ name }) => name.endsWith('/catalog/translations?draft=true'))
      .map(({ duration }) => duration),
  );
  row('saving a batch of texts, 1,000 at most', spread(sent));
  const heap = await page.evaluate(
    () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
  );
  row('script memory at the end', `${Math.round(heap / 1024 ** 2)} MB`);
}

async function saved(page: Page): Promise<void> {
  await page.getByText('All changes saved to draft').waitFor({ timeout: 120_000 });
}

/** Runs in the page. */
function observe(): void {
  const notes: Noted = { longTasks: [], events: [], frames: [] };
  (globalThis as unknown as { notes: Noted }).notes = notes;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) notes.longTasks.push(duration);
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) if (name === 'keydown') notes.events.push(duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
}

/** What was recorded since the last call. Events faster than 16 ms have no entry, so they are not included. */
async function noted(page: Page): Promise<Noted> {
  // Entries appear a moment after the event.
  await page.waitForTimeout(300);
  return page.evaluate(() => {
    const { notes } = globalThis as unknown as { notes: Noted };
    const copy = structuredClone(notes);
    notes.longTasks = [];
    notes.events = [];
    notes.frames = [];
    return copy;
  });
}

async function countFrames(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    const { notes } = globalThis as unknown as { notes: Noted & { stop?: boolean } };
    notes.stop = false;
    let last = performance.now();
    const frame = (now: number) => {
      notes.frames.push(now - last);
      last = now;
      if (!notes.stop) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  return () =>
    page.evaluate(() => {
      (globalThis as unknown as { notes: { stop?: boolean } }).notes.stop = true;
    });
}

function row(what: string, value: string): void {
  console.log(`| ${what} | ${value} |`);
}

function spread(samples: number[]): string {
  if (samples.length === 0) return 'all under 16 ms';
  return `${samples.length} of 16 ms or more: p50 ${percentile(samples, 50)}, p95 ${percentile(samples, 95)}, most ${percentile(samples, 100)} ms`;
}

function describeTasks(longTasks: number[]): string {
  return longTasks.length === 0 ? 'none' : `${longTasks.length}, longest ${percentile(longTasks, 100)} ms`;
}

function percentile(samples: number[], part: number): string {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.floor((sorted.length * part) / 100));
  return (sorted[at] ?? Number.NaN).toFixed(0);
}

/** Three of four texts exist, so that some are missing in every language. */
function makeCatalog() {
  const texts = (what: string, seed: number) =>
    Object.fromEntries(
      TAGS.flatMap((tag, index) => (index > 0 && (seed + index) % 4 === 0 ? [] : [[tag, `${what} in ${tag}`]])),
    );
  return {
    languages: TAGS.map((tag) => ({ name: `Language ${tag}`, tag })),
    groups: Array.from({ length: GROUPS }, (_, group) => ({
      name: `group-${group}`,
      translations: texts(`Group ${group}`, group),
      keys: Array.from({ length: KEYS_PER_GROUP }, (_, key) => ({
        name: `key-${key}`,
        type: 'boolean',
        translations: texts(`Whether you want number ${key} of group ${group}, as a question of usual length`, key),
      })),
    })),
  };
}
