import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { sqlite } from '../packages/server/test/databases.ts';
import { EXAMPLE } from '../packages/server/test/http/options/example-catalog.ts';
import { makeSignedInUser } from '../packages/server/test/http/start.ts';
import { editorOf, manageWith } from '../packages/server/test/manage/manage.ts';
import { memberWith } from '../packages/server/test/portal/portal.ts';
import { expectAccessible, expectFits, expectFocus, openPortal } from './portal.ts';

/** Many steps, on a machine that may be busy with other tests. */
const LONG = { timeout: 120_000 };

const portal = openPortal(sqlite);

describe('the catalog room', () => {
  /** An application with a catalog, and its address in the portal. */
  async function application(file: unknown = EXAMPLE) {
    const made = await portal.server.application();
    const manage = await manageWith(portal.server);
    const path = `/applications/${made.clientId}`;
    if (file) {
      const published = await manage.send('PUT', `${path}/catalog`, file, { 'if-match': '*' });
      if (published.status !== 200) throw new Error(published.text);
    }
    return { ...made, ...editorOf(manage, path), room: `${path}/catalog` };
  }

  const tree = (page: Page) => page.getByRole('tree', { name: 'Groups and keys' });
  const row = (page: Page, name: string) => tree(page).getByRole('treeitem', { name: new RegExp(`^${name}\\b`) });
  const labels = (rows: Locator) => rows.evaluateAll((all) => all.map((each) => each.querySelector('p')?.textContent));
  const keysOf = (page: Page) => labels(tree(page).locator('[aria-level="2"]'));
  const groupsOf = (page: Page) => labels(tree(page).locator('[aria-level="1"]'));
  const save = async (page: Page) => {
    await page.getByRole('button', { name: 'Save to draft' }).click();
    await page.getByText('Saved to the draft').first().waitFor();
  };

  test('from nothing to a published catalog, without a word of docs', LONG, async () => {
    const { clientId, tree: published } = await application(null);
    const { page, complaints } = await portal.enter(`/applications/${clientId}/catalog`);
    for (const language of ['English', 'Deutsch', 'Italiano', 'Español', 'العربية']) {
      await page.getByRole('checkbox', { name: language }).focus();
      await page.keyboard.press('Space');
    }
    // Whoever works the keys is still there, and takes one back.
    await page.getByRole('checkbox', { name: 'Italiano' }).press('Space');
    await expect.poll(() => page.getByRole('radio').count()).toBe(4);
    await page.getByRole('button', { name: 'Continue' }).click();
    // A key needs a group: it says so and leads there.
    await page.getByRole('navigation', { name: 'Groups and keys' }).getByRole('button', { name: 'Key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add a group' }).click();
    const dialog = page.getByRole('dialog');
    const text = (language: string) => dialog.getByLabel(language, { exact: true });
    await text('English').fill('🎉');
    await page.getByText('No name can be made of this text').waitFor();
    expect(await page.getByRole('button', { name: 'Add, then its keys' }).isDisabled()).toBe(true);
    await text('English').fill('Nötifications & more');
    expect(await page.getByLabel('Name for programs').inputValue()).toBe('notifications_more');
    await text('Español').fill('Avisos');
    // While it is under way nothing is taken that would be cleared away with it.
    const held = Promise.withResolvers<void>();
    await page.route(/\/catalog\/groups\b/, (route) => held.promise.then(() => route.continue()), { times: 1 });
    await page.keyboard.press('Enter');
    await expect.poll(() => text('English').isEditable()).toBe(false);
    held.resolve();

    // Its keys follow: all that a kind needs is asked at once, in all languages while they are few.
    await dialog.getByText('Whole number', { exact: true }).waitFor();
    await expectFocus(text('English'));
    await page.keyboard.type('Portions');
    await dialog.getByText('Whole number', { exact: true }).click();
    await page.getByLabel('Least').fill('10');
    await page.getByLabel('Most').fill('4');
    await expect.poll(() => page.getByText('Least is above Most.').count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Add and another' }).isDisabled()).toBe(true);
    await page.getByLabel('Least').fill('0');
    await page.getByRole('button', { name: 'Add and another' }).click();
    await page.getByText('Added: Portions.').waitFor();
    await expectFocus(text('English'));
    expect(await page.getByLabel('Least').inputValue()).toBe('');
    await page.keyboard.type('Colour');
    await dialog.getByText('One of a list', { exact: true }).click();
    await page.getByLabel('What they choose from: Español').fill('Azul\nRojo');
    await page.getByText('A line here has no value beside it').waitFor();
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('What they choose from: English').fill('Blue\nred\nBlue');
    await page.getByText('“Blue” is there twice.').waitFor();
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('What they choose from: English').fill('Blue\nred');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add', exact: true }).dblclick();
    await page.getByRole('heading', { name: 'Colour', level: 2 }).waitFor();
    // At its top, in the first field that is empty.
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('lang'))).toBe('de');
    expect(await page.evaluate(() => window.scrollY)).toBe(0);

    expect(await page.getByLabel('blue: English').inputValue()).toBe('Blue');
    await page.getByRole('button', { name: 'Add a value' }).click();
    await page.getByRole('button', { name: 'Save to draft' }).click();
    await page.getByText('A value is needed').waitFor();
    await expectFocus(page.getByLabel('Value 3', { exact: true }));
    await page.keyboard.type('red');
    await page.getByText('This value is there already.').waitFor();
    await page.getByRole('button', { name: 'Remove: red' }).last().click();
    await page.getByLabel('Name for programs').fill('');
    await page.getByText('A name is needed.').waitFor();
    await page.getByLabel('Name for programs').fill('colour');
    await page.getByRole('button', { name: 'Other languages, retire: red' }).click();
    await page.getByLabel('red: العربية').fill('أحمر');
    await page.getByRole('button', { name: 'Move up: red' }).click();
    await page.getByRole('combobox', { name: 'Default' }).click();
    await page.getByRole('option', { name: 'red' }).click();
    // The preview is of what is typed, in any language and its direction.
    const preview = page.getByTestId('preview');
    expect(
      await preview.getByRole('radio').evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value)),
    ).toEqual(['red', 'blue']);
    await page.getByRole('combobox', { name: 'Language of the preview' }).click();
    await page.getByRole('option', { name: 'العربية' }).click();
    await preview.getByText('أحمر').waitFor();
    expect(await preview.getAttribute('dir')).toBe('rtl');
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog.getByText('What you typed on this page is not saved').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await save(page);

    await page.getByRole('main').getByRole('button', { name: 'Key' }).first().click();
    await text('English').fill('Colour');
    await page.getByText('Another key of this group has this name.').waitFor();
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    // Closed by accident: it is still there.
    await page.keyboard.press('Escape');
    await page.getByRole('main').getByRole('button', { name: 'Key' }).first().click();
    expect(await text('English').inputValue()).toBe('Colour');
    await text('English').fill('');
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.getByText('7 changes not published').waitFor();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog.getByText(/Deutsch.*: 5 texts – people read .*English/).waitFor();
    await dialog.getByText('Whole number from 0 to 4').waitFor();
    const first = dialog.getByRole('link', { name: 'Translate them first' });
    expect(await first.getAttribute('href')).toBe(`/portal/applications/${clientId}/translations?missing=any`);
    await dialog.getByText('One of a list; red, Blue; by default red').waitFor();
    await expectAccessible(page);
    await expectFocus(dialog.getByRole('button', { name: 'Publish', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByText('Published as revision 1.').waitFor();
    const next = page.getByRole('link', { name: 'Translate them' });
    expect(await next.getAttribute('href')).toBe(`/portal/applications/${clientId}/translations?missing=any`);
    const { groups } = await published();
    expect(groups).toMatchObject([
      {
        name: 'notifications_more',
        translations: { Español: 'Avisos' },
        keys: [
          { name: 'portions', type: 'integer', constraint: { min: 0, max: 4 } },
          {
            name: 'colour',
            type: 'string',
            default: 'red',
            values: [{ value: 'red', translations: { Español: 'Rojo' } }, { value: 'blue' }],
          },
        ],
      },
    ]);
    expect(complaints).toEqual([]);
  });

  test('groups and keys are moved by keyboard, and that is said', async () => {
    const { room, get } = await application();
    const { page, complaints } = await portal.enter(room);
    await tree(page).focus();
    await page.keyboard.press('ArrowDown');
    // The first edit, taken back while it is being saved.
    const held = Promise.withResolvers<void>();
    await page.route(/\/catalog\/keys\//, (route) => held.promise.then(() => route.continue()), { times: 1 });
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Control+z');
    held.resolve();
    await page.getByText('No changes against what is published').waitFor();
    await expect.poll(async () => (await keysOf(page))[0]).toBe('vegetarian');
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => page.getByTestId('tree-said').textContent()).toBe('vegetarian moved to place 3 of 4');
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
    // Three edits, taken back and done again.
    await page.getByRole('heading', { name: 'Kitchen', level: 2 }).click();
    await page.keyboard.press('Control+z');
    await expect.poll(() => groupsOf(page)).toEqual(['Kitchen', 'open', 'empty']);
    await page.getByRole('button', { name: /^Redo / }).click();
    await expect.poll(() => groupsOf(page)).toEqual(['open', 'Kitchen', 'empty']);
    expect(complaints).toEqual([]);
  });

  test('and by dragging', async () => {
    const { room } = await application();
    const { page } = await portal.enter(room);
    const handle = row(page, 'ratio').locator('[title="Drag to move"]');
    const target = row(page, 'vegetarian');
    await handle.hover();
    const to = await target.boundingBox();
    if (!to) throw new Error('no box');
    await page.mouse.down();
    await page.mouse.move(to.x + 40, to.y + 4, { steps: 12 });
    // Where it would fall is shown before it is let go.
    await expect.poll(() => target.getAttribute('data-drop')).not.toBeNull();
    await page.mouse.up();
    await expect
      .poll(async () => (await keysOf(page)).slice(0, 4))
      .toEqual(['ratio', 'vegetarian', 'Fruit', 'portions']);
    await page.getByText('1 change not published').waitFor();
  });

  test('publishing what breaks something says for how many, and waits for a yes', async () => {
    const app = await application();
    const [user, { keyUid }, { groupUid }] = [
      await makeSignedInUser(portal.server, app),
      await app.key('portions'),
      await app.group('kitchen'),
    ];
    const choice = { user_uid: user.userCode, option_group_uid: groupUid, option_key_uid: keyUid, value: [4] };
    expect((await portal.server.post('/api/user_options', choice, { apiKey: app.clientId })).status).toBe(201);
    const { page } = await portal.enter(`${app.room}?item=${keyUid}`);
    await page.getByRole('button', { name: 'Remove: 4' }).click();
    await save(page);
    await page.getByRole('button', { name: 'Publish…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('value removed: 4 – touches 1 saved selection').waitFor();
    const publish = dialog.getByRole('button', { name: 'Publish', exact: true });
    expect(await publish.isDisabled()).toBe(true);
    await dialog.getByRole('checkbox').check();
    await publish.click();
    await page.getByText('Published as revision 2.').waitFor();
    expect(await app.key('portions')).toMatchObject({ values: [1, 2] });
  });

  test('two editors: what does not touch is merged, what does is shown side by side', LONG, async () => {
    const app = await application();
    const { keyUid } = await app.key('fruit');
    const { page } = await portal.enter(`${app.room}?item=${keyUid}`);
    const field = page.getByLabel('Deutsch', { exact: true });
    await field.fill('Früchte');
    // Somebody else, elsewhere in the draft, and at another field of the same key.
    const { groupUid } = await app.group('open');
    await app.edit('PATCH', `/groups/${groupUid}?draft=true`, { name: 'offen' });
    await app.edit('PATCH', `/keys/${keyUid}?draft=true`, { name: 'fruits', translations: { en: 'Fruit & more' } });
    await save(page);
    await expect.poll(() => page.getByLabel('Name for programs').inputValue()).toBe('fruits');
    expect(await page.getByLabel('English', { exact: true }).inputValue()).toBe('Fruit & more');
    expect(await field.inputValue()).toBe('Früchte');
    // At the same field.
    await field.fill('Obstsorten');
    await app.edit('PATCH', `/keys/${keyUid}?draft=true`, { translations: { de: 'Obst & Co.' } });
    await page.getByRole('button', { name: 'Save to draft' }).click();
    const dialog = page.getByRole('dialog', { name: 'This was changed meanwhile' });
    await dialog.getByText('Obst & Co.').first().waitFor();
    await dialog.getByText('Obstsorten').first().waitFor();
    expect(await dialog.getByRole('rowheader').allInnerTexts()).toEqual(['Deutsch']);
    await dialog.getByText('token:tests').first().waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Go on typing' }).click();
    expect(await field.inputValue()).toBe('Obstsorten');
    await page.getByRole('button', { name: 'Save to draft' }).click();
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText('Saved to the draft').first().waitFor();
    await expect
      .poll(async () => JSON.stringify((await app.get('/catalog/tree?draft=true')).json))
      .toContain('Obstsorten');
    // Published by somebody else while the dialog is open: nothing is published over it unseen.
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).waitFor();
    await app.edit('POST', '/groups', { name: 'meanwhile' });
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Publish over revision 2').waitFor();
    await page.getByRole('dialog').getByText('archived').waitFor();
    await page.getByText('Publish over revision 2').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Published as revision 3.').waitFor();
  });

  test('archives, brings back, discards; a link leads to a key; unsaved typing is not lost unasked', async () => {
    const { room, key } = await application();
    const { keyUid } = await key('fruit');
    const { page } = await portal.enter(`${room}?item=${keyUid}`);
    await page.getByRole('heading', { name: 'Fruit', level: 2 }).waitFor();
    expect(await row(page, 'Fruit').getAttribute('aria-selected')).toBe('true');
    await page.getByRole('main').getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByText('This key is archived').waitFor();
    await page.getByRole('button', { name: 'Bring back' }).click();
    await expect.poll(() => page.getByText('This key is archived').count()).toBe(0);

    await page.getByLabel('Name for programs').fill('apple');
    page.once('dialog', (dialog) => void dialog.dismiss());
    await row(page, 'ratio').click();
    expect(await page.getByLabel('Name for programs').inputValue()).toBe('apple');
    await page.getByRole('button', { name: 'Reset' }).click();
    await row(page, 'ratio').click();
    await page.getByRole('heading', { name: 'ratio', level: 2 }).waitFor();

    await page.getByRole('button', { name: 'Discard…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('The draft is discarded.').waitFor();
    await expect.poll(() => page.getByRole('region', { name: 'Draft' }).count()).toBe(0);

    // What keeps it from being saved comes into sight.
    await row(page, 'volume').click();
    await page.getByRole('heading', { name: 'volume', level: 2 }).waitFor();
    await page.getByLabel('Least').fill('11');
    await page.getByLabel('English', { exact: true }).focus();
    await page.keyboard.press('Control+s');
    await expect.poll(() => page.getByText('Least is above Most.').count()).toBe(2);
    await expectFocus(page.getByLabel('Least'));
    // Of the service, at the field that it names.
    await page.getByLabel('Least').fill('7');
    await page.keyboard.press('Control+s');
    await page.getByText('The default has to be something that can be chosen').waitFor();
    expect(await page.getByText('Nothing was published').count()).toBe(0);
    await page.context().clearCookies();
    await page.evaluate(() => window.scrollTo({ top: 0 }));
    await page.keyboard.press('Control+s');
    const told = page.getByText('Sign in again: what you typed is kept.');
    await told.waitFor();
    await expect
      .poll(() => told.evaluate((each) => each.getBoundingClientRect().bottom <= window.innerHeight))
      .toBe(true);
    expect(await page.getByLabel('Least').inputValue()).toBe('7');
  });

  test('whatever is typed is text', async () => {
    const nasty = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>{{constructor}}`;
    const { room, key, path, get } = await application({
      languages: [{ name: nasty.slice(0, 100), tag: 'en' }],
      groups: [
        {
          name: nasty,
          translations: { en: nasty },
          keys: [
            {
              name: nasty,
              type: 'string',
              default: nasty,
              translations: { en: nasty },
              values: [{ value: nasty, translations: { en: `${nasty}!` } }, `${nasty}2`],
            },
          ],
        },
      ],
    });
    const { keyUid } = await key(nasty);
    const { page, complaints } = await portal.enter(`${room}?item=${keyUid}`);
    await page.getByRole('heading', { name: nasty, level: 2 }).waitFor();
    await page.getByRole('button', { name: 'Move down' }).first().waitFor();
    await page.getByRole('main').getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await page.getByRole('dialog').getByText('archived').first().waitFor();
    await page.goto(`${portal.server.url}/portal${path}/revisions?revision=1`);
    await page.getByRole('tab', { name: 'Whole catalog' }).click();
    await page.getByRole('tabpanel', { name: 'Whole catalog' }).getByText('onerror').first().waitFor();
    expect(await page.evaluate(() => (window as { hacked?: number }).hacked)).toBeUndefined();
    expect((await get('/catalog')).status).toBe(200);
    expect(complaints).toEqual([]);
  });

  test('a viewer looks, a translator publishes texts: neither can do more', LONG, async () => {
    const app = await application();
    const { keyUid } = await app.key('fruit');
    const enterAs = async (role: 'viewer' | 'translator') => {
      const { cookie } = await memberWith(portal.server, [{ appId: app.appId, role }]);
      const [name, value] = cookie.split('=') as [string, string];
      const arrived = await portal.visit('/portal/sign-in');
      await arrived.page.context().addCookies([{ name, value, url: portal.server.url }]);
      await arrived.page.goto(`${portal.server.url}/portal${app.room}?item=${keyUid}`);
      await arrived.page.getByRole('heading', { name: 'Fruit', level: 2 }).waitFor();
      return arrived.page;
    };
    const texts = [{ path: 'kitchen', language: 'de', text: 'Herd' }];
    await app.edit('PATCH', '/translations?draft=true', { texts });
    const viewer = await enterAs('viewer');
    await viewer.getByText('1 change not published').waitFor();
    for (const name of ['Group', 'Save to draft', 'Archive', 'Move up', 'Publish…', 'Discard…']) {
      expect([name, await viewer.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0]);
    }
    expect(await viewer.getByLabel('Name for programs').isDisabled()).toBe(true);
    const translator = await enterAs('translator');
    await translator.getByRole('button', { name: 'Publish…' }).click();
    await translator.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
    await translator.getByText('Published as revision 2.').waitFor();
    await app.edit('PATCH', `/keys/${keyUid}?draft=true`, { name: 'apple' });
    await translator.reload();
    await translator.getByText('1 change not published').waitFor();
    expect(await translator.getByRole('button', { name: 'Discard…' }).count()).toBe(0);
    await translator.getByRole('button', { name: 'Publish…' }).click();
    await translator.getByText('The draft changes more than texts').waitFor();
    const publish = translator.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true });
    expect(await publish.isDisabled()).toBe(true);
  });

  test('fits a phone: the list, then what was chosen, and back', async () => {
    const { room } = await application();
    const { page, complaints } = await portal.enter(room, { viewport: { width: 380, height: 760 } });
    await expectFits(page);
    await row(page, 'Fruit').click();
    await page.getByRole('heading', { name: 'Fruit', level: 2 }).waitFor();
    await expectFits(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'All groups and keys' }).click();
    await row(page, 'Fruit').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('a large catalog', () => {
  test('of 5,000 keys in 10 languages stays quick', LONG, async () => {
    const languages = 'en de es fr it pt nl sv da fi'.split(' ').map((tag) => ({ name: `Language ${tag}`, tag }));
    const translations = (text: string) => Object.fromEntries(languages.map(({ name }) => [name, `${text} (${name})`]));
    const groups = Array.from({ length: 25 }, (_, group) => ({
      name: `group ${group}`,
      keys: Array.from({ length: 200 }, (_, key) => ({
        name: `key ${group}.${key}`,
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
    // Only what is in sight is in the page.
    expect(await tree.getByRole('treeitem').count()).toBeLessThan(80);
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
    await page.getByText('1 change not published').waitFor();
  });
});
