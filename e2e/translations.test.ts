import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Role } from '../packages/server/src/storage/port.ts';
import { sqlite } from '../packages/server/test/databases.ts';
import { editor } from '../packages/server/test/manage/manage.ts';
import { memberWith } from '../packages/server/test/portal/portal.ts';
import { download, expectAccessible, expectFits, expectFocus, openPortal, type Portal } from './portal.ts';

const EVIL = '<img src=x onerror="document.title=1"><script>alert(1)</script>{{constructor}}';

const CATALOG = {
  languages: [
    { name: 'English', tag: 'en', default: true },
    { name: 'Deutsch', tag: 'de' },
    { name: 'العربية', tag: 'ar' },
  ],
  groups: [
    {
      name: 'kitchen',
      translations: { English: 'Kitchen' },
      keys: Array.from({ length: 40 }, (_, index) => ({
        name: `key ${String(index).padStart(2, '0')}`,
        type: 'boolean',
        translations: { English: `Question ${index}`, ...(index === 0 && { Deutsch: 'Frage 0' }) },
      })),
    },
    {
      name: 'fruit',
      keys: [
        { name: 'kind', type: 'string', values: [{ value: 'apple', translations: { Deutsch: 'Apfel' } }, 'pear'] },
      ],
    },
  ],
};

type Options = Parameters<Portal['visit']>[1] & { role?: Role; query?: string };

/** Somebody with a role in a new application, in its room. */
async function enter(
  portal: Portal,
  file: unknown = CATALOG,
  { role = 'owner', query = '', ...options }: Options = {},
) {
  const made = await editor(portal.server, file);
  const { clientId, appId } = made.application;
  const { cookie } = await memberWith(portal.server, [{ appId, role }]);
  const [name = '', value = ''] = cookie.split('=');
  const address = `/portal/applications/${clientId}/translations`;
  const { page, complaints } = await portal.visit(`${address}${query}`, {
    permissions: ['clipboard-read', 'clipboard-write'],
    storageState: {
      cookies: [
        { name, value, domain: '127.0.0.1', path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Strict' },
      ],
      origins: [],
    },
    ...options,
  });
  const draft = async (path: string) => {
    const { json } = await made.get('/catalog/translations?draft=true&limit=500');
    return (json.items as { path: string; texts: Record<string, string> }[]).find((row) => row.path === path)?.texts;
  };
  return { ...made, address, page, complaints, draft };
}

const cell = (page: Page, row: string, column: number) =>
  page.getByRole('row', { name: row, exact: false }).getByRole('gridcell').nth(column);
const saved = (page: Page) => page.getByText('All saved in the draft').waitFor();
const paste = async (page: Page, text: string) => {
  await page.evaluate((words) => navigator.clipboard.writeText(words), text);
  await page.keyboard.press('ControlOrMeta+v');
};

describe('the room of translations', () => {
  const portal = openPortal(sqlite);

  test('is worked like a spreadsheet: type, Enter, Tab, Escape, Delete, undo and redo', async () => {
    const { page, draft, get, complaints } = await enter(portal);
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
    await page.getByText('2 texts taken away').waitFor();
    await saved(page);
    expect(await draft('kitchen/key 02')).toEqual({ en: 'Question 2' });
    await Promise.all([
      page.getByText('2 texts as they were before').waitFor(),
      page.keyboard.press('ControlOrMeta+z'),
    ]);
    await saved(page);
    expect(await draft('kitchen/key 01')).toMatchObject({ de: 'Frage 1' });
    await Promise.all([
      page.getByText('2 texts changed again').waitFor(),
      page.keyboard.press('ControlOrMeta+Shift+z'),
    ]);
    await saved(page);
    expect(await draft('kitchen/key 01')).toEqual({ en: 'Question 1' });
    expect(complaints).toEqual([]);
  });

  test('two at once: what the other changed stands side by side until somebody chooses', async () => {
    const { page, edit, draft } = await enter(portal);
    await cell(page, 'key 00', 1).click();
    await page.getByText('Question 0').last().waitFor();
    const theirs = { texts: [{ path: 'kitchen/key 00', language: 'de', text: 'Ihre' }] };
    expect((await edit('PATCH', '/translations?draft=true', theirs)).status).toBe(200);
    await page.keyboard.type('Meine');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Auch meine');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '1 text changed meanwhile' }).click();
    const dialog = page.getByRole('dialog', { name: 'Changed meanwhile' });
    await dialog.getByText('Meine', { exact: true }).waitFor();
    await dialog.getByText('Ihre', { exact: true }).waitFor();
    expect(await draft('kitchen/key 00')).toMatchObject({ de: 'Ihre' });
    // The rest is saved.
    await expect.poll(() => draft('kitchen/key 01')).toMatchObject({ de: 'Auch meine' });
    await dialog.getByRole('button', { name: 'Keep yours' }).click();
    await saved(page);
    expect(await draft('kitchen/key 00')).toMatchObject({ de: 'Meine' });
  });

  test('a file is exported, comes back with a conflict, is looked at, taken in part, undone and published', async () => {
    const { page, edit, get, draft } = await enter(portal);
    await page.getByRole('button', { name: 'Export' }).click();
    const exported = await download(page, () => page.getByRole('menuitem', { name: 'All languages' }).click());
    expect(exported.name).toBe('test-texts-r1.csv');
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-texts-'));
    try {
      const { text } = await get('/catalog/translations/export?draft=true&language=de');
      const file = text
        .replace('Question 0,Frage 0', 'Question 0,Aus der Datei')
        .replace('key 01,Question 1,', 'key 01,Question 1,Neu')
        .concat('nowhere,x,y\r\n');
      await writeFile(join(folder, 'de.csv'), file);
      const texts = [{ path: 'kitchen/key 00', language: 'de', text: 'Inzwischen' }];
      await edit('PATCH', '/translations?draft=true', { texts });

      await page.getByRole('button', { name: 'Import' }).click();
      await page.locator('input[type=file]').setInputFiles(join(folder, 'de.csv'));
      const dialog = page.getByRole('dialog', { name: 'Import translations' });
      await dialog.getByText('de.csv changes 2 texts; 1 are as they are here.').waitFor();
      await dialog.getByText(/line 47: nowhere is not in the catalog/).waitFor();
      await dialog.getByText('Changed here since the export, where it was: Frage 0').waitFor();
      await expectAccessible(page);
      const conflict = dialog.getByRole('checkbox', { name: 'Take kitchen/key 00 in Deutsch' });
      expect(await conflict.isChecked()).toBe(false);
      await dialog.getByRole('button', { name: 'Take 1 text', exact: true }).waitFor();
      await conflict.check();
      await dialog.getByRole('button', { name: 'Take 2 texts' }).click();
      await page.getByText('2 texts taken from the file').waitFor();
      expect(await draft('kitchen/key 00')).toMatchObject({ de: 'Aus der Datei' });
      await page.getByText('Aus der Datei').first().waitFor();
      await page.getByRole('button', { name: 'Undo' }).first().click();
      await saved(page);
      expect(await draft('kitchen/key 00')).toMatchObject({ de: 'Inzwischen' });
      expect(await draft('kitchen/key 01')).toEqual({ en: 'Question 1' });
    } finally {
      await rm(folder, { recursive: true });
    }
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByText('Deutsch: "Frage 0" → "Inzwischen"').waitFor();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Published as revision 2.').waitFor();
    expect((await get('/catalog')).headers.get('etag')).toBe('"2"');
    await expect.poll(() => page.getByRole('button', { name: 'Publish…' }).isDisabled()).toBe(true);
  });
  test('the keys reach everything, and the active cell keeps the focus', async () => {
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
    const grid = page.getByRole('grid', { name: 'Texts by language' });
    expect(await grid.getAttribute('aria-rowcount')).toBe('46');
    expect(await page.getByRole('gridcell').count(), 'not all of them are there').toBeLessThan(46 * 3);
  });

  test('a column from a spreadsheet is pasted with a summary and taken back; a block is copied', async () => {
    const { page, draft } = await enter(portal);
    await cell(page, 'key 01', 1).click();
    const column = 'Eins\tواحد\r\n"Zwei\nZeilen"\t\r\nDrei\tثلاثة\tzu viel\r\n';
    await paste(page, column);
    const first = await page.getByRole('alert').filter({ hasText: '5 texts pasted' }).elementHandle();
    await page.keyboard.press('ControlOrMeta+z');
    await page.getByText('5 texts as they were before').waitFor();
    expect(await first?.textContent(), 'what is told next does not share its time').toContain('pasted');
    await first?.waitForElementState('hidden');
    await paste(page, column);
    await page.getByText('5 texts pasted').waitFor();
    await page.getByText('1 empty cell changed nothing. 1 cell had no place here.').waitFor();
    // It stays while somebody points at it.
    await page.getByRole('alert').hover();
    await saved(page);
    expect(await draft('kitchen/key 02')).toEqual({ en: 'Question 2', de: 'Zwei\nZeilen' });
    expect(await draft('kitchen/key 03')).toMatchObject({ de: 'Drei', ar: 'ثلاثة' });
    await page.keyboard.press('ControlOrMeta+c');
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Eins\tواحد\n"Zwei\nZeilen"\t\nDrei\tثلاثة');
    await page.getByRole('alert').getByRole('button', { name: 'Undo' }).click();
    await saved(page);
    expect(await draft('kitchen/key 03')).toEqual({ en: 'Question 3' });

    // All that is missing goes out as a list and comes back as one.
    await page.getByRole('button', { name: 'Translate a list' }).click();
    await page.getByRole('button', { name: 'Copy the list' }).click();
    await expectFocus(page.getByRole('dialog').getByRole('textbox', { name: 'Deutsch' }));
    const list = await page.evaluate(() => navigator.clipboard.readText());
    await paste(page, `${list.replaceAll('Question', 'Frage')}\nzu viel`);
    await page.getByText('44 lines for 43 texts').waitFor();
    // Closed by accident: it is still there.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Translate a list' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Deutsch' }).fill(`${list.replaceAll('Question', 'Frage')}\n`);
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Take them over' }).click();
    await page.getByText('43 texts pasted').waitFor();
    await dialog.getByRole('textbox', { name: 'العربية' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await saved(page);
    expect(await draft('kitchen/key 03')).toEqual({ en: 'Question 3', de: 'Frage 3' });
  });

  test('finds what is missing, one group, and a text; says how far each language is', async () => {
    const { page, address } = await enter(portal);
    await page.getByText('43 missing').first().waitFor();
    await page.getByRole('button', { name: 'Column Deutsch' }).click();
    await page.getByRole('menuitem', { name: 'Show the 43 missing texts' }).click();
    await page.getByText('43 texts').waitFor();
    expect(page.url()).toContain(`${address}?missing=de`);
    await page.getByRole('button', { name: 'Show all texts' }).click();
    await page.getByRole('textbox', { name: 'Search names and texts' }).fill('apfel');
    await page.getByText('1 text', { exact: true }).waitFor();
    await page.getByRole('rowheader', { name: 'fruit › kind apple' }).waitFor();
    await page.getByRole('textbox', { name: 'Search names and texts' }).fill('nowhere');
    await page.getByRole('heading', { name: 'No text fits' }).waitFor();
    await page.getByRole('button', { name: 'Show all texts' }).last().click();
    await page.getByRole('button', { name: 'Languages' }).click();
    await page.getByRole('checkbox', { name: /العربية/ }).uncheck();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('columnheader').count()).toBe(3);
  });

  test('what cannot be saved is kept, through a reload too, and saved when it can be', async () => {
    const { page, draft } = await enter(portal, CATALOG, { query: '?group=fruit' });
    await cell(page, 'apple', 1).click();
    await page.route('**/catalog/translations?draft=true', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await page.keyboard.type('Apferl');
    await page.keyboard.press('Enter');
    await page.getByText('1 text not saved: trying again').waitFor();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('Apferl').first().waitFor();
    await page.getByText('1 text not saved: trying again').waitFor();
    await page.unrouteAll();
    // It may have tried by itself meanwhile, and the button is gone.
    const tryNow = page.getByRole('button', { name: 'Try now' });
    await tryNow.click({ timeout: 5_000 }).catch(() => {});
    await saved(page);
    expect(await draft('fruit/kind=apple')).toMatchObject({ de: 'Apferl' });

    // What is half typed as well, whichever way somebody leaves.
    await cell(page, 'kind', 1).first().click();
    await page.keyboard.type('So');
    await page.reload();
    await page.getByText('So', { exact: true }).first().waitFor();
    await saved(page);
    await cell(page, 'kind', 1).first().click();
    await page.keyboard.type('Sorte');
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    await page.goBack();
    await saved(page);
    expect(await draft('fruit/kind')).toEqual({ de: 'Sorte' });

    await cell(page, 'pear', 1).click();
    await page.keyboard.type('Apferl');
    await page.keyboard.press('Enter');
    await page.getByText('1 text cannot be saved').waitFor();
    await cell(page, 'pear', 1).click();
    await page.getByText(/stand for two values/).waitFor();
    await page.keyboard.type('Birne');
    await page.keyboard.press('Enter');
    await saved(page);
    expect(await draft('fruit/kind=pear')).toEqual({ de: 'Birne' });
  });

  test('what people typed is shown as text, wherever it is from', async () => {
    const { page, complaints, get } = await enter(portal, {
      languages: [
        { name: 'English', tag: 'en', default: true },
        { name: `X ${EVIL}`, tag: 'de' },
      ],
      groups: [
        {
          name: `g ${EVIL}`,
          translations: { en: EVIL, de: EVIL },
          keys: [{ name: `k ${EVIL}`, type: 'string', values: [EVIL], translations: { de: EVIL } }],
        },
      ],
    });
    await page.getByRole('gridcell', { name: EVIL }).first().click();
    await page.keyboard.press('Enter');
    await page.keyboard.type(EVIL);
    await page.keyboard.press('Enter');
    await saved(page);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('button', { name: 'Publish', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Import' }).click();
    const { text } = await get('/catalog/translations/export');
    const file = {
      name: `${EVIL}.csv`.replaceAll('/', ''),
      mimeType: 'text/csv',
      buffer: Buffer.from(`${text}"${EVIL.replaceAll('"', '""')}",x,y,z\r\n`),
    };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText(/2 lines cannot be taken/).waitFor();
    expect(await page.title()).toBe('Translations · Innkeeper');
    expect(await page.locator('img[src=x]').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('on a phone there is one language at a time; nobody is kept out', async () => {
    const { page, draft, complaints } = await enter(portal, CATALOG, { viewport: { width: 380, height: 760 } });
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
    await expectFits(page);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('nobody is kept out of the grid, nor from a room without texts', async () => {
    const { page } = await enter(portal);
    await cell(page, 'key 01', 1).click();
    await expectAccessible(page);
    const empty = await enter(portal, { languages: [{ name: 'English', tag: 'en' }], groups: [] });
    await empty.page.getByRole('heading', { name: 'Nothing to translate yet' }).waitFor();
    await expectFits(empty.page);
  });

  test('a translator changes and publishes texts; a viewer reads them', async () => {
    const { page, draft } = await enter(portal, CATALOG, { role: 'translator' });
    await cell(page, 'key 01', 1).click();
    await page.keyboard.type('Frage 1');
    await page.keyboard.press('Enter');
    await saved(page);
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Published as revision 2.').waitFor();
    // What comes next is not where one is.
    await page.getByRole('link', { name: 'Connect it' }).waitFor();
    expect(await draft('kitchen/key 01')).toMatchObject({ de: 'Frage 1' });

    const viewer = await enter(portal, CATALOG, { role: 'viewer' });
    await viewer.page.getByText('Your role may read the texts here, not change them.').waitFor();
    await cell(viewer.page, 'key 01', 1).click();
    await viewer.page.keyboard.type('Nein');
    await viewer.page.keyboard.press('Enter');
    await paste(viewer.page, 'Nein');
    await viewer.page.keyboard.press('Delete');
    expect(await viewer.page.getByRole('button', { name: /Import|Publish|Undo/ }).count()).toBe(0);
    expect(await viewer.draft('kitchen/key 01')).toEqual({ en: 'Question 1' });
    expect(viewer.complaints).toEqual([]);
  });

  test('a translator is told why a draft is not theirs to publish, and discards what is of texts alone', async () => {
    const { page, edit, draft } = await enter(portal, CATALOG, { role: 'translator' });
    await cell(page, 'key 01', 1).click();
    await page.keyboard.type('Frage 1');
    await page.keyboard.press('Enter');
    await saved(page);
    await edit('POST', '/groups', { name: 'more' });
    await page.getByRole('button', { name: 'Publish…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish the draft' });
    await dialog.getByText('More than texts was published since this draft was begun').waitFor();
    expect(await dialog.getByRole('button', { name: 'Publish', exact: true }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
    await page.getByText('The draft is discarded.').waitFor();
    await expect.poll(() => cell(page, 'key 01', 1).textContent()).toBe('');
    expect(await draft('kitchen/key 01')).toEqual({ en: 'Question 1' });

    await edit('POST', '/groups?draft=true', { name: 'still more' });
    await page.reload();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog.getByText('The draft changes more than texts').waitFor();
    expect(await dialog.getByRole('button', { name: 'Publish', exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Discard…' }).count()).toBe(0);
  });
});
