import { describe, expect, test } from 'vitest';
import { sqlite } from '../../packages/server/test/databases.ts';
import { expectAccessible, expectFocus, openPortal } from '../portal.ts';
import { makeApplication, save } from './room.ts';

const portal = openPortal(sqlite);

describe('the catalog room: a first catalog', () => {
  test('from nothing to a published catalog, without a word of docs', async () => {
    const { clientId, tree: published } = await makeApplication(portal, null);
    const { page, complaints } = await portal.enter(`/applications/${clientId}/catalog`);
    for (const language of ['English', 'Deutsch', 'Italiano', 'Español', 'العربية']) {
      await page.getByRole('checkbox', { name: language }).focus();
      await page.keyboard.press('Space');
    }
    // Whoever works the keys is still there, and takes one back.
    await page.getByRole('checkbox', { name: 'Italiano' }).press('Space');
    await expect.poll(() => page.getByRole('radio').count()).toBe(4);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectFocus(page.getByRole('button', { name: 'Add a group' }));
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
});
