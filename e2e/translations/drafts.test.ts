import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../../packages/server/test/databases.ts';
import { download, expectAccessible, holdRequests, openPortal } from '../portal.ts';
import { CATALOG, cell, EVIL, EVIL_NAME, enter, paste, saved } from './room.ts';

const portal = openPortal(sqlite);

describe('the translations room: drafts', () => {
  test('nothing is said to be saved while there is no draft', async () => {
    const { page } = await enter(portal);
    await cell(page, 'Question 1', 1).waitFor();
    const inDraft = page.getByText('All changes saved to draft');
    await page.waitForLoadState('networkidle');
    expect(await inDraft.count()).toBe(0);
    await cell(page, 'Question 1', 1).click();
    await page.keyboard.type('Frage 1');
    await page.keyboard.press('Enter');
    await inDraft.waitFor();
    await page.reload();
    await inDraft.waitFor();
  });

  test('concurrent changes are shown side by side until someone chooses', async () => {
    const { page, edit, draft } = await enter(portal);
    await cell(page, 'key 00', 1).click();
    await page.getByText('Question 0').last().waitFor();
    const theirs = { texts: [{ path: 'kitchen/key 00', language: 'de', text: 'Ihre' }] };
    expect((await edit('PATCH', '/translations?draft=true', theirs)).status).toBe(200);
    await page.keyboard.type('Meine');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Auch meine');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '1 conflict' }).click();
    const dialog = page.getByRole('dialog', { name: 'Conflict' });
    await dialog.getByText('Meine', { exact: true }).waitFor();
    await dialog.getByText('Ihre', { exact: true }).waitFor();
    expect(await draft('kitchen/key 00')).toMatchObject({ de: 'Ihre' });
    // The other changes are saved.
    await expect.poll(() => draft('kitchen/key 01')).toMatchObject({ de: 'Auch meine' });
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await saved(page);
    expect(await draft('kitchen/key 00')).toMatchObject({ de: 'Meine' });
  });

  test('a file is exported, reimported with a conflict, previewed, applied in part, undone and published', async () => {
    const { page, edit, get, draft } = await enter(portal);
    await page.getByRole('button', { name: 'Export' }).click();
    const exported = await download(page, () => page.getByRole('menuitem', { name: 'All languages' }).click());
    expect(exported.name).toBe('test-texts-r1.csv');
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-texts-'));
    try {
      const { text } = await get('/catalog/translations/export?draft=true&language=de');
      const file = text
        .replace('Question 0,Frage 0', 'Question 0,Aus der Datei')
        .replace('key 01,Question 1,', 'key 01,Question 1," Neu "')
        .concat('nowhere,x,y\r\nshort\r\n');
      await writeFile(join(folder, 'de.csv'), file);
      const texts = [{ path: 'kitchen/key 00', language: 'de', text: 'Inzwischen' }];
      await edit('PATCH', '/translations?draft=true', { texts });

      await page.getByRole('button', { name: 'Import' }).click();
      await page.locator('input[type=file]').setInputFiles(join(folder, 'de.csv'));
      const dialog = page.getByRole('dialog', { name: 'Import translations' });
      await dialog.getByText('de.csv changes 2 texts; unchanged: 1.').waitFor();
      await dialog.getByText('2 lines skipped').waitFor();
      await dialog.getByText(/line 47: nowhere is not in the catalog/).waitFor();
      await dialog.getByText(/line 48: short has 1 column instead of 3/).waitFor();
      // Leading and trailing spaces are invisible, so the dialog points them out.
      await dialog.getByText('1 text begins or ends with a space.').waitFor();
      expect(await dialog.locator('mark').allInnerTexts()).toEqual(['·', '·']);
      await dialog.getByText('Text at export: Frage 0').waitFor();
      await expectAccessible(page);
      const conflict = dialog.getByRole('checkbox', { name: 'Import kitchen/key 00 in Deutsch' });
      expect(await conflict.isChecked()).toBe(false);
      await dialog.getByRole('button', { name: 'Import 1 text', exact: true }).waitFor();
      await conflict.check();
      await dialog.getByRole('button', { name: 'Import 2 texts' }).click();
      await page.getByText('2 texts imported').waitFor();
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

  test('changes that cannot be saved are kept through a reload, and saved later', async () => {
    const { page, draft } = await enter(portal, CATALOG, { query: '?group=fruit' });
    await cell(page, 'apple', 1).click();
    await page.route('**/catalog/translations?draft=true', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await page.keyboard.type('Apferl');
    await page.keyboard.press('Enter');
    await page.getByText('1 text not saved; retrying').waitFor();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await page.getByText('Apferl').first().waitFor();
    await page.getByText('1 text not saved; retrying').waitFor();
    await page.unrouteAll();
    // The page may have retried by itself meanwhile, so the button may be gone.
    const tryNow = page.getByRole('button', { name: 'Retry now' });
    await tryNow.click({ timeout: 5_000 }).catch(() => {});
    await saved(page);
    expect(await draft('fruit/kind=apple')).toMatchObject({ de: 'Apferl' });

    // Half-typed text is kept as well, however the page is left.
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
    await page.getByText(/the text of two values/).waitFor();
    await page.keyboard.type('Birne');
    await page.keyboard.press('Enter');
    await saved(page);
    expect(await draft('fruit/kind=pear')).toEqual({ de: 'Birne' });
  });

  test('unsaved and half-typed texts follow an item that gets another name; of one that is archived, they can be copied', async () => {
    const { page, edit, get, draft } = await enter(portal);
    const release = await holdRequests(page, 'PATCH', /catalog\/translations\?draft=true/);
    await cell(page, 'key 01', 1).click();
    await page.keyboard.type('Frage 1');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Fra');
    const { groups } = (await get('/catalog/tree')).json as { groups: { groupUid: string }[] };
    const [kitchen, fruit] = groups.map(({ groupUid }) => groupUid);
    expect((await edit('PATCH', `/groups/${kitchen}?draft=true`, { name: 'cuisine' })).status).toBe(200);
    release();
    await page.getByRole('rowheader', { name: 'cuisine', exact: true }).waitFor();
    // The editor is still open.
    await page.keyboard.type('ge 2');
    await page.keyboard.press('Enter');
    await saved(page);
    expect(await draft('cuisine/key 01')).toMatchObject({ de: 'Frage 1' });
    expect(await draft('cuisine/key 02')).toMatchObject({ de: 'Frage 2' });

    await page.goto(`${page.url()}?group=fruit`);
    await cell(page, 'pear', 1).click();
    expect((await edit('DELETE', `/groups/${fruit}?draft=true`, undefined)).status).toBe(200);
    await page.keyboard.type('Birne');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '1 conflict' }).click();
    const dialog = page.getByRole('dialog', { name: 'Conflict' });
    await dialog.getByText('No longer in the catalog').waitFor();
    await dialog.getByRole('button', { name: 'Copy' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Birne');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'hidden' });
  });

  test('a response that was on its way before a save does not undo it', async () => {
    const { page, draft } = await enter(portal);
    await cell(page, 'key 01', 1).waitFor();
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    const [late, isHeld] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(/catalog\/translations\?.*limit/, async (route) => {
      const response = await route.fetch();
      isHeld.resolve();
      await late.promise;
      await route.fulfill({ response });
    });
    await page.goBack();
    await isHeld.promise;
    await cell(page, 'key 01', 1).click();
    await page.keyboard.type('Neu');
    await page.keyboard.press('Enter');
    await expect.poll(() => draft('kitchen/key 01')).toMatchObject({ de: 'Neu' });
    await saved(page);
    const isLoaded = page.waitForResponse(/catalog\/translations\?.*limit/);
    late.resolve();
    await (await isLoaded).finished();
    await cell(page, 'key 01', 1).click();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('textbox', { name: /key 01/ }).inputValue()).toBe('Neu');
  });

  test('two tabs: what one has not saved yet is neither sent nor lost by the other', async () => {
    const { page, draft } = await enter(portal);
    const other = await page.context().newPage();
    await other.route('**/catalog/translations?draft=true', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await other.goto(page.url());
    await cell(other, 'key 01', 1).click();
    await other.keyboard.type('Erste');
    await other.keyboard.press('Enter');
    await other.getByText('1 text not saved; retrying').waitFor();
    await other.keyboard.type('Zwei');

    await page.reload();
    await cell(page, 'key 01', 1).click();
    await page.keyboard.type('Andere');
    await page.keyboard.press('Enter');
    await saved(page);
    expect(await draft('kitchen/key 01')).toMatchObject({ de: 'Andere' });
    expect(await draft('kitchen/key 02')).toEqual({ en: 'Question 2' });

    await other.close();
    await page.getByRole('button', { name: '1 conflict' }).click();
    const dialog = page.getByRole('dialog', { name: 'Conflict' });
    await dialog.getByText('Erste', { exact: true }).waitFor();
    await dialog.getByText('Andere', { exact: true }).waitFor();
    await expect.poll(() => draft('kitchen/key 02')).toMatchObject({ de: 'Zwei' });
    await dialog.getByRole('button', { name: 'Keep theirs' }).click();
    await saved(page);
    expect(await draft('kitchen/key 01')).toMatchObject({ de: 'Andere' });
  });

  test('input is shown as text, regardless of its source', async () => {
    const { page, pageErrors, get } = await enter(portal, {
      languages: [
        { name: 'English', tag: 'en', default: true },
        { name: `X ${EVIL}`, tag: 'de' },
      ],
      groups: [
        {
          name: `g ${EVIL_NAME}`,
          translations: { en: EVIL, de: EVIL },
          keys: [{ name: `k ${EVIL_NAME}`, type: 'string', values: [EVIL], translations: { de: EVIL } }],
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
    await page.getByText(/1 line skipped/).waitFor();
    expect(await page.title()).toBe('Translations · Innkeeper');
    expect(await page.locator('img[src=x]').count()).toBe(0);
    expect(pageErrors).toEqual([]);
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
    // The suggested next step is never the current room.
    await page.getByRole('link', { name: 'Connect application' }).waitFor();
    expect(await draft('kitchen/key 01')).toMatchObject({ de: 'Frage 1' });

    const viewer = await enter(portal, CATALOG, { role: 'viewer' });
    await viewer.page.getByText('Your role can read texts but not change them.').waitFor();
    await cell(viewer.page, 'key 01', 1).click();
    await viewer.page.keyboard.type('Nein');
    await viewer.page.keyboard.press('Enter');
    await paste(viewer.page, 'Nein');
    await viewer.page.keyboard.press('Delete');
    expect(await viewer.page.getByRole('button', { name: /Import|Publish|Undo/ }).count()).toBe(0);
    expect(await viewer.draft('kitchen/key 01')).toEqual({ en: 'Question 1' });
    expect(viewer.pageErrors).toEqual([]);
  });

  test('a translator sees why they cannot publish a draft, and discards changes to texts only', async () => {
    const { page, edit, draft } = await enter(portal, CATALOG, { role: 'translator' });
    await cell(page, 'key 01', 1).click();
    await page.keyboard.type('Frage 1');
    await page.keyboard.press('Enter');
    await saved(page);
    await edit('POST', '/groups', { name: 'more' });
    await page.getByRole('button', { name: 'Publish…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish draft' });
    await dialog.getByText('A newer revision changed more than texts').waitFor();
    expect(await dialog.getByRole('button', { name: 'Publish', exact: true }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
    await page.getByText('Draft discarded.').waitFor();
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
