import type { Locator, Page } from 'playwright-core';
import { EXAMPLE } from '../../packages/server/test/http/options/example-catalog.ts';
import { editorOf, manageWith } from '../../packages/server/test/manage/manage.ts';
import type { Portal } from '../portal.ts';

/** Creates an application with a catalog; also returns the path of its catalog room. */
export async function makeApplication({ server }: Portal, file: unknown = EXAMPLE) {
  const made = await server.application();
  const manage = await manageWith(server);
  const path = `/applications/${made.clientId}`;
  if (file) {
    const published = await manage.send('PUT', `${path}/catalog`, file, { 'if-match': '*' });
    if (published.status !== 200) throw new Error(published.text);
  }
  return { ...made, ...editorOf(manage, path), room: `${path}/catalog` };
}

export const tree = (page: Page) => page.getByRole('tree', { name: 'Groups and keys' });
export const row = (page: Page, name: string) => tree(page).getByRole('treeitem', { name: new RegExp(`^${name}\\b`) });
const labels = (rows: Locator) => rows.evaluateAll((all) => all.map((each) => each.querySelector('p')?.textContent));
export const keysOf = (page: Page) => labels(tree(page).locator('[aria-level="2"]'));
export const groupsOf = (page: Page) => labels(tree(page).locator('[aria-level="1"]'));
export const save = async (page: Page) => {
  await page.getByRole('button', { name: 'Save to draft' }).click();
  await page.getByText('Saved to draft').first().waitFor();
};
