import { describe, expect, test } from 'vitest';
import { sqlite } from '../../packages/server/test/databases.ts';
import { expectAccessible, openPortal } from '../portal.ts';
import { groupsOf, keysOf, makeApplication, row, tree } from './room.ts';

const portal = openPortal(sqlite);

describe('the catalog room: order', () => {
  test('groups and keys are moved by keyboard, and the move is announced', async () => {
    const { room, get } = await makeApplication(portal);
    const { page, pageErrors } = await portal.enter(room);
    await tree(page).focus();
    await page.keyboard.press('ArrowDown');
    // Undo the first edit while it is being saved.
    const held = Promise.withResolvers<void>();
    await page.route(/\/catalog\/keys\//, (route) => held.promise.then(() => route.continue()), { times: 1 });
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Control+z');
    held.resolve();
    await page.getByText('No unpublished changes').waitFor();
    await expect.poll(async () => (await keysOf(page))[0]).toBe('vegetarian');
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => page.getByTestId('tree-said').textContent()).toBe('vegetarian moved to position 3 of 4');
    await expect
      .poll(async () => (await keysOf(page)).slice(0, 4))
      .toEqual(['Fruit', 'portions', 'vegetarian', 'ratio']);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => groupsOf(page)).toEqual(['open', 'Kitchen', 'empty']);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => keysOf(page)).not.toContain('Fruit');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Kitchen', level: 2 }).waitFor();
    await expect
      .poll(async () => {
        const { groups } = (await get('/catalog/tree?draft=true')).json as {
          groups: { name: string; keys: { name: string }[] }[];
        };
        return [groups.map(({ name }) => name), groups[1]?.keys.map(({ name }) => name)];
      })
      .toEqual([
        ['open', 'kitchen', 'empty'],
        ['fruit', 'portions', 'vegetarian', 'ratio'],
      ]);
    // Undo and redo three edits.
    await page.getByRole('heading', { name: 'Kitchen', level: 2 }).click();
    await page.keyboard.press('Control+z');
    await expect.poll(() => groupsOf(page)).toEqual(['Kitchen', 'open', 'empty']);
    await page.getByRole('button', { name: /^Redo / }).click();
    await expect.poll(() => groupsOf(page)).toEqual(['open', 'Kitchen', 'empty']);
    expect(pageErrors).toEqual([]);
  });

  test('a key and a group are duplicated with all of their content, and several keys archived', async () => {
    const { room, get } = await makeApplication(portal);
    const { page, pageErrors } = await portal.enter(room);
    await row(page, 'Fruit').click();
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByText('Fruit duplicated as fruit-copy.').waitFor();
    await expect.poll(() => page.getByLabel('API name').inputValue()).toBe('fruit-copy');
    await row(page, 'Kitchen').click();
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await expect.poll(() => page.getByLabel('API name').inputValue()).toBe('kitchen-copy');
    await page.getByRole('button', { name: 'Archive several keys' }).click();
    const dialog = page.getByRole('dialog', { name: 'Archive several keys' });
    await dialog.getByRole('checkbox', { name: 'portions' }).check();
    await dialog.getByRole('checkbox', { name: 'ratio' }).check();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Archive 2 keys' }).click();
    await page.getByText('2 keys archived.').waitFor();
    type Item = { name: string; archived?: boolean; values?: unknown; translations?: unknown };
    const { groups } = (await get('/catalog/tree?draft=true')).json as { groups: (Item & { keys: Item[] })[] };
    const [kitchen, copy] = ['kitchen', 'kitchen-copy'].map((name) => groups.find((each) => each.name === name));
    const contentOf = (keys: Item[] = []) =>
      keys.map(({ name, values, translations }) => ({ name, values, translations }));
    // Archiving something that was never published removes it completely.
    const kept = kitchen?.keys.filter(({ name }) => !['portions', 'ratio'].includes(name));
    expect(contentOf(copy?.keys.filter(({ archived }) => !archived))).toEqual(contentOf(kept));
    const [fruit, second] = ['fruit', 'fruit-copy'].map((name) => kitchen?.keys.find((each) => each.name === name));
    expect(second?.values).toEqual(fruit?.values);
    expect(pageErrors).toEqual([]);
  });

  test('groups and keys are moved by dragging', async () => {
    const { room } = await makeApplication(portal);
    const { page } = await portal.enter(room);
    const handle = row(page, 'ratio').locator('[title="Drag to move"]');
    const target = row(page, 'vegetarian');
    await handle.hover();
    const to = await target.boundingBox();
    if (!to) throw new Error('no box');
    await page.mouse.down();
    await page.mouse.move(to.x + 40, to.y + 4, { steps: 12 });
    // The drop position is shown while dragging.
    await expect.poll(() => target.getAttribute('data-drop')).not.toBeNull();
    await page.mouse.up();
    await expect
      .poll(async () => (await keysOf(page)).slice(0, 4))
      .toEqual(['ratio', 'vegetarian', 'Fruit', 'portions']);
    await page.getByText('1 unpublished change').waitFor();
  });
});
