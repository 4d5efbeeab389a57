import { describe, expect, test } from 'vitest';
import { sqlite } from '../../packages/server/test/databases.ts';
import { expectAccessible, expectFits, expectFocus, openPortal } from '../portal.ts';
import { CATALOG, cell, enter, paste, saved } from './room.ts';

const portal = openPortal(sqlite);

describe('the translations room: the grid', () => {
  test('works like a spreadsheet: type, Enter, Tab, Escape, Delete, undo and redo', async () => {
    const { page, draft, get, pageErrors } = await enter(portal);
    await cell(page, 'key 01', 1).click();
    await page.keyboard.type('Frage 1');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Frage 2');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('in zwei Zeilen');
    await page.keyboard.press('Tab');
    await page.keyboard.type('سؤال');
    await page.keyboard.press('Escape');
    await saved(page);
    expect(await draft('kitchen/key 01')).toMatchObject({ de: 'Frage 1' });
    expect(await draft('kitchen/key 02')).toEqual({ en: 'Question 2', de: 'Frage 2\nin zwei Zeilen' });
    expect((await get('/catalog')).headers.get('etag'), 'nothing is published').toBe('"1"');

    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Shift+ArrowUp');
    await page.keyboard.press('Delete');
    await page.getByText('2 texts cleared').waitFor();
    await saved(page);
    expect(await draft('kitchen/key 02')).toEqual({ en: 'Question 2' });
    await Promise.all([page.getByText('2 changes undone').waitFor(), page.keyboard.press('ControlOrMeta+z')]);
    await saved(page);
    expect(await draft('kitchen/key 01')).toMatchObject({ de: 'Frage 1' });
    await Promise.all([page.getByText('2 changes redone').waitFor(), page.keyboard.press('ControlOrMeta+Shift+z')]);
    await saved(page);
    expect(await draft('kitchen/key 01')).toEqual({ en: 'Question 1' });
    expect(pageErrors).toEqual([]);
  });

  test('everything works by keyboard, and the active cell keeps the focus', async () => {
    const { page } = await enter(portal);
    await cell(page, 'kitchen', 0).first().click();
    const active = () =>
      page.evaluate(
        () => document.activeElement?.closest('[role=row]')?.querySelector('[role=rowheader]')?.textContent,
      );
    await page.keyboard.press('Control+End');
    await expect.poll(active).toBe('pear');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-colindex'))).toBe('4');
    await page.keyboard.press('Control+Home');
    await expect.poll(active).toBe('kitchen');
    await page.keyboard.press('PageDown');
    await expect.poll(active).not.toBe('kitchen');
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(active).toBe('key 01');
    await page.mouse.wheel(0, 5000);
    await page.keyboard.press('ArrowDown');
    await expect.poll(active).toBe('key 02');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(active).toBe('key 02');
    const height = () => cell(page, 'key 02', 1).evaluate((each) => each.getBoundingClientRect().height);
    expect(await height()).toBe(44);
    await page.getByRole('button', { name: 'Comfortable rows', pressed: false }).click();
    await expect.poll(height).toBe(80);
    const grid = page.getByRole('grid', { name: 'Texts by language' });
    expect(await grid.getAttribute('aria-rowcount')).toBe('46');
    expect(await page.getByRole('gridcell').count(), 'not all of them are there').toBeLessThan(46 * 3);
  });

  test('pastes a column from a spreadsheet with a summary and undo; copies a block', async () => {
    const { page, draft } = await enter(portal);
    await cell(page, 'key 01', 1).click();
    const column = 'Eins\tواحد\r\n"Zwei\nZeilen"\t\r\nDrei\tثلاثة\tzu viel\r\n';
    await paste(page, column);
    const first = await page.getByRole('alert').filter({ hasText: '5 texts pasted' }).elementHandle();
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('5 changes undone').waitFor();
    expect(await first?.textContent(), 'the next message has its own time').toContain('pasted');
    await first?.waitForElementState('hidden');
    await paste(page, column);
    const second = page.getByRole('alert').filter({ hasText: '5 texts pasted' });
    await second.getByText('1 empty cell skipped. 1 cell outside the table skipped.').waitFor();
    // The message stays while the pointer is over it.
    await second.hover();
    await saved(page);
    expect(await draft('kitchen/key 02')).toEqual({ en: 'Question 2', de: 'Zwei\nZeilen' });
    expect(await draft('kitchen/key 03')).toMatchObject({ de: 'Drei', ar: 'ثلاثة' });
    await page.keyboard.press('ControlOrMeta+c');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Eins\tواحد\n"Zwei\nZeilen"\t\nDrei\tثلاثة');
    await second.getByRole('button', { name: 'Undo' }).click();
    await saved(page);
    expect(await draft('kitchen/key 03')).toEqual({ en: 'Question 3' });

    // Missing texts are exported as a list and pasted back as one.
    await page.getByRole('button', { name: 'Translate as list' }).click();
    await page.getByRole('button', { name: 'Copy list' }).click();
    await expectFocus(page.getByRole('dialog').getByRole('textbox', { name: 'Deutsch' }));
    const list = await page.evaluate(() => navigator.clipboard.readText());
    await paste(page, `${list.replaceAll('Question', 'Frage')}\nzu viel`);
    await page.getByText('44 lines instead of 43').waitFor();
    // Closed by accident: the input is still there.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Translate as list' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Deutsch' }).fill(`${list.replaceAll('Question', 'Frage')}\n`);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('43 texts pasted').waitFor();
    await dialog.getByRole('textbox', { name: 'العربية' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await saved(page);
    expect(await draft('kitchen/key 03')).toEqual({ en: 'Question 3', de: 'Frage 3' });
  });

  test("filters by missing texts, group and search text; shows each language's progress", async () => {
    const { page, address } = await enter(portal);
    await page.getByText('43 missing').first().waitFor();
    await page.getByRole('button', { name: 'Column Deutsch' }).click();
    await page.getByRole('menuitem', { name: 'Show 43 missing texts' }).click();
    await page.getByText('43 texts').waitFor();
    expect(page.url()).toContain(`${address}?missing=de`);
    await page.getByRole('button', { name: 'Show all texts' }).click();
    await page.getByRole('textbox', { name: 'Search names and texts' }).fill('apfel');
    await page.getByText('1 text', { exact: true }).waitFor();
    await page.getByRole('rowheader', { name: 'fruit › kind apple' }).waitFor();
    await page.getByRole('textbox', { name: 'Search names and texts' }).fill('nowhere');
    await page.getByRole('heading', { name: 'No matching texts' }).waitFor();
    await page.getByRole('button', { name: 'Show all texts' }).last().click();
    await page.getByRole('button', { name: 'Languages' }).click();
    await page.getByRole('checkbox', { name: /العربية/ }).uncheck();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('columnheader').count()).toBe(3);
  });

  test('a phone shows one language at a time, accessibly', async () => {
    const { page, draft, pageErrors } = await enter(portal, CATALOG, { viewport: { width: 380, height: 760 } });
    await page.getByRole('button', { name: 'key 01: no text yet. Edit' }).click();
    await page.getByRole('textbox', { name: 'Deutsch' }).fill('Frage 1');
    await page.getByRole('button', { name: 'Save and next' }).click();
    await page
      .getByRole('dialog', { name: 'kitchen › key 02' })
      .getByRole('textbox', { name: 'Deutsch' })
      .fill('Frage 2');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved(page);
    expect(await draft('kitchen/key 02')).toMatchObject({ de: 'Frage 2' });
    for (const key of ['key 01', 'key 02']) await page.getByRole('checkbox', { name: `Select ${key}` }).check();
    await page.getByRole('button', { name: 'Mark 2 as reviewed' }).click();
    await page.getByText('2 texts marked as reviewed.').waitFor();
    await expectFits(page);
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  test('the grid is accessible, also without texts', async () => {
    const { page } = await enter(portal);
    await cell(page, 'key 01', 1).click();
    await expectAccessible(page);
    const empty = await enter(portal, { languages: [{ name: 'English', tag: 'en' }], groups: [] });
    await empty.page.getByRole('heading', { name: 'No texts yet' }).waitFor();
    await expectFits(empty.page);
  });

  test('a text is outdated when its source changes, and reviewed by a key, a button or for all shown', async () => {
    const { page, get, pageErrors } = await enter(portal);
    const german = cell(page, 'key 01', 1);
    await german.click();
    await page.keyboard.type('Frage 1');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Frage 2');
    await page.keyboard.press('Enter');
    await saved(page);
    await cell(page, 'key 01', 0).click();
    await page.keyboard.type('Which one?');
    await page.keyboard.press('Enter');
    await german.getByRole('img', { name: 'Outdated' }).waitFor();
    await saved(page);
    const stateOf = async (path: string) => {
      const { json } = await get('/catalog/translations?draft=true&limit=500');
      const items = json.items as { path: string; outdated: string[]; reviewed: string[] }[];
      const { outdated, reviewed } = items.find((each) => each.path === path) as (typeof items)[number];
      return { outdated, reviewed };
    };
    expect(await stateOf('kitchen/key 01')).toEqual({ outdated: ['de'], reviewed: [] });

    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.click();
    await page.getByRole('option', { name: 'Outdated in Deutsch' }).click();
    await page.waitForURL('**/translations?outdated=de');
    await page.getByText('1 text', { exact: true }).waitFor();
    await expectAccessible(page);
    await german.click();
    await page.keyboard.press('ControlOrMeta+Enter');
    await german.getByRole('img', { name: 'Reviewed' }).waitFor();
    expect(await stateOf('kitchen/key 01')).toEqual({ outdated: [], reviewed: ['de'] });
    await page.getByRole('button', { name: 'Withdraw review' }).click();
    await german.getByRole('img', { name: 'Reviewed' }).waitFor({ state: 'detached' });
    expect(await stateOf('kitchen/key 01')).toEqual({ outdated: [], reviewed: [] });

    await page.getByRole('button', { name: 'Show all texts' }).click();
    await german.click();
    await cell(page, 'key 02', 1).click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Mark 2 as reviewed' }).click();
    await page.getByText('2 texts marked as reviewed.').waitFor();
    expect(await stateOf('kitchen/key 02')).toEqual({ outdated: [], reviewed: ['de'] });
    await german.click();
    await cell(page, 'key 02', 1).click({ modifiers: ['Shift'] });
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByText('2 reviews withdrawn.').waitFor();
    const menu = page.getByRole('button', { name: 'Column Deutsch' });
    await menu.click();
    await page.getByRole('menuitem', { name: /^Show \d+ unreviewed texts$/ }).click();
    await page.waitForURL('**/translations?unreviewed=de');
    await cell(page, 'key 02', 1).waitFor();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Mark all shown as reviewed' }).click();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Show 0 unreviewed texts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByText('All texts are reviewed').waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('the source text stays visible beside the names', async () => {
    const tags = ['fr', 'it', 'nl', 'pl', 'pt', 'sv'];
    const languages = [...CATALOG.languages, ...tags.map((tag) => ({ name: tag, tag }))];
    const { page } = await enter(portal, { ...CATALOG, languages });
    const grid = page.getByRole('grid', { name: 'Texts by language' });
    const at = (column: number) => page.locator(`[data-row="2"][data-column="${column}"]`);
    const leftOf = (column: number) => at(column).evaluate((each) => Math.round(each.getBoundingClientRect().left));
    const before = await leftOf(0);
    await grid.evaluate((each) => each.scrollTo({ left: 5000 }));
    await at(8).waitFor();
    expect(await leftOf(0)).toBe(before);
    // The active cell is scrolled out from under the fixed column.
    await at(8).click();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => leftOf(1)).toBeGreaterThan(before + 190);
    await expectAccessible(page);
  });
});
