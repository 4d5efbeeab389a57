import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePort } from '../packages/server/test/free-port.ts';
import { expectAxeClean } from './options-form/open-page.ts';
import { ownBrowser } from './portal.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'examples/preferences');

let browser: Browser;
let example: ChildProcess;
let origin: string;
let data: string;

beforeAll(async () => {
  data = join(inject('scratchFolder'), 'example');
  const [port, innkeeperPort] = [String(await freePort()), String(await freePort())];
  origin = `http://localhost:${port}`;
  const env = { ...process.env, EXAMPLE_PORT: port, EXAMPLE_INNKEEPER_PORT: innkeeperPort, EXAMPLE_DATA: data };
  example = spawn(process.execPath, [join(FOLDER, 'run.ts')], { env, stdio: 'inherit' });
  browser = await ownBrowser();
});
afterAll(async () => {
  await browser?.close();
  if (example?.exitCode !== null) return;
  const ended = new Promise((resolve) => example.once('exit', resolve));
  example.kill();
  await ended;
});

test('the example: sign in, save from another origin, reload, three languages, and deletion with the account', async () => {
  const isThere = () =>
    fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isThere, { timeout: 50_000, interval: 200 }).toBe(true);
  const page = await browser.newPage({ locale: 'en-GB' });
  const pageErrors: string[] = [];
  page.on('pageerror', ({ message }) => pageErrors.push(message));
  await page.goto(origin);
  await page.getByLabel('Your name').fill('Ada');
  await page.keyboard.press('Enter');

  await page.getByRole('radio', { name: 'Dark' }).check();
  await page.getByRole('checkbox', { name: 'Text message' }).check();
  const perPage = page.getByRole('textbox', { name: 'Items per page' });
  await perPage.fill('7');
  await perPage.blur();
  await page.getByRole('alert').getByText('Must be in steps of 5, starting at 5.').waitFor();
  await expectAxeClean(page);
  await perPage.fill('25');
  await perPage.blur();
  await expect.poll(() => page.getByText('Saved', { exact: true }).count()).toBe(3);
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');

  await page.reload();
  await expect.poll(() => page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true);
  expect(await page.getByRole('textbox', { name: 'Items per page' }).inputValue()).toBe('25');
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await page.getByRole('form', { name: 'Benachrichtigungen' }).getByRole('checkbox', { name: 'SMS' }).waitFor();
  await page.getByRole('button', { name: 'العربية' }).click();
  const form = page.getByRole('form', { name: 'الإشعارات' });
  await expect.poll(() => form.getByRole('checkbox', { name: 'رسالة نصية' }).isChecked()).toBe(true);
  expect(await form.getAttribute('dir')).toBe('rtl');
  await expectAxeClean(page);

  await page.getByRole('button', { name: 'حذف حسابي' }).click();
  await page.getByLabel('اسمك').fill('Ada');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.getByRole('radio', { name: 'فاتح' }).isChecked()).toBe(true);
  await page.close();
  expect(pageErrors).toEqual([]);

  // The generated types match the catalog.
  const { clientId } = JSON.parse(await readFile(join(data, 'application.json'), 'utf8'));
  const words = ['catalog', 'types', '--app', clientId, '--database-url', `sqlite:${join(data, 'innkeeper.db')}`];
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(ROOT, 'packages/server/bin/innkeeper.js'),
    ...words,
  ]);
  expect(await readFile(join(FOLDER, 'catalog.ts'), 'utf8')).toBe(stdout);
});
