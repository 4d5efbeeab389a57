import { expect, test } from 'vitest';
import { sqlite } from '../../packages/server/test/databases.ts';
import { manageWith } from '../../packages/server/test/manage/manage.ts';
import { expectAccessible, openPortal } from '../portal.ts';

const portal = openPortal(sqlite);

test('a catalog of 5,000 keys in 10 languages stays quick', async () => {
  const languages = 'en de es fr it pt nl sv da fi'.split(' ').map((tag) => ({ name: `Language ${tag}`, tag }));
  const translations = (text: string) => Object.fromEntries(languages.map(({ name }) => [name, `${text} (${name})`]));
  const groups = Array.from({ length: 25 }, (_, group) => ({
    name: `group ${group}`,
    keys: Array.from({ length: 200 }, (_, key) => ({
      name: `key ${group}-${key}`,
      type: 'string',
      translations: translations(`Key ${group}.${key}`),
    })),
  }));
  const { clientId } = await portal.server.application();
  const manage = await manageWith(portal.server);
  const path = `/applications/${clientId}`;
  const published = await manage.send('PUT', `${path}/catalog`, { languages, groups }, { 'if-match': '*' });
  expect(published.status).toBe(200);
  const { page } = await portal.enter(`${path}/catalog`);
  const tree = page.getByRole('tree');
  await tree.waitFor();
  // Only visible rows are rendered.
  expect(await tree.getByRole('treeitem').count()).toBeLessThan(80);
  await page.getByRole('button', { name: 'Preview form' }).click();
  const form = page.getByTestId('long-form');
  await form.getByLabel('Key 0.0 (Language en)').waitFor();
  expect(await form.locator('*').count()).toBeLessThan(600);
  await form.evaluate((box) => box.scrollTo(0, 9e6));
  await form
    .getByLabel(/^Key 24\./)
    .first()
    .waitFor();
  expect(await form.locator('*').count()).toBeLessThan(600);
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await tree.focus();
  await page.keyboard.press('End');
  await tree.getByRole('treeitem', { name: /^Key 24\.199/ }).click();
  await page.getByRole('heading', { name: /^Key 24\.199/, level: 2 }).waitFor();
  const typed = await page.getByLabel('Language de', { exact: true }).evaluate(async (field) => {
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
    const started = performance.now();
    set?.call(field, 'typed');
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return performance.now() - started;
  });
  expect(typed).toBeLessThan(2_000);
  await page.getByRole('button', { name: 'Save to draft' }).click();
  await page.getByText('1 unpublished change').waitFor();
});
