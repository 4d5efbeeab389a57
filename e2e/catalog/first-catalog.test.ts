import { describe, expect, test } from 'vitest';
import { sqlite } from '../../packages/server/test/databases.ts';
import { expectAccessible, expectFocus, openPortal } from '../portal.ts';
import { makeApplication, save } from './room.ts';

const portal = openPortal(sqlite);

describe('the catalog room: a first catalog', () => {
  test('creates and publishes a first catalog without any documentation', async () => {
    const { clientId, tree: published } = await makeApplication(portal, null);
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/catalog`);
    for (const language of ['English', 'Deutsch', 'Italiano', 'Español', 'العربية']) {
      await page.getByRole('checkbox', { name: language }).focus();
      await page.keyboard.press('Space');
    }
    // The keyboard focus is kept, so that a checkbox can be cleared again.
    await page.getByRole('checkbox', { name: 'Italiano' }).press('Space');
    await expect.poll(() => page.getByRole('radio').count()).toBe(4);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expectFocus(page.getByRole('button', { name: 'Add group' }));
    // A key needs a group: the dialog says so and opens the form for one.
    await page.getByRole('navigation', { name: 'Groups and keys' }).getByRole('button', { name: 'Key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add group' }).click();
    const dialog = page.getByRole('dialog');
    const text = (language: string) => dialog.getByLabel(language, { exact: true });
    await text('English').fill('🎉');
    await page.getByText('This label has no letters or digits').waitFor();
    expect(await page.getByRole('button', { name: 'Add and continue to keys' }).isDisabled()).toBe(true);
    await text('English').fill('Nötifications & more');
    expect(await page.getByLabel('API name').inputValue()).toBe('notifications_more');
    await text('Español').fill('Avisos');
    // While the request is in flight the form is read-only, because its input is cleared afterwards.
    const held = Promise.withResolvers<void>();
    await page.route(/\/catalog\/groups\b/, (route) => held.promise.then(() => route.continue()), { times: 1 });
    await page.keyboard.press('Enter');
    await expect.poll(() => text('English').isEditable()).toBe(false);
    held.resolve();

    // Keys come next. With few languages, the form asks for everything that the type needs in all of them.
    await dialog.getByText('Whole number', { exact: true }).waitFor();
    await expectFocus(text('English'));
    await page.keyboard.type('Portions');
    await dialog.getByText('Whole number', { exact: true }).click();
    await page.getByLabel('Minimum').fill('10');
    await page.getByLabel('Maximum').fill('4');
    await expect.poll(() => page.getByText('The minimum is greater than the maximum.').count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Add another' }).isDisabled()).toBe(true);
    await page.getByLabel('Minimum').fill('0');
    await page.getByRole('button', { name: 'Add another' }).click();
    await page.getByText('Added: Portions.').waitFor();
    await expectFocus(text('English'));
    expect(await page.getByLabel('Minimum').inputValue()).toBe('');
    await page.keyboard.type('Colour');
    await dialog.getByText('Single choice', { exact: true }).click();
    await page.getByLabel('Options: Español').fill('Azul\nRojo');
    await page.getByText('A line has no matching value').waitFor();
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('Options: English').fill('Blue\nred\nBlue');
    await page.getByText('“Blue” appears twice.').waitFor();
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    await page.getByLabel('Options: English').fill('Blue\nred');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add', exact: true }).dblclick();
    await page.getByRole('heading', { name: 'Colour', level: 2 }).waitFor();
    // The page is scrolled to its top, and the first empty field has the focus.
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('lang'))).toBe('de');
    expect(await page.evaluate(() => window.scrollY)).toBe(0);

    expect(await page.getByLabel('blue: English').inputValue()).toBe('Blue');
    await page.getByRole('button', { name: 'Add value' }).click();
    await page.getByRole('button', { name: 'Save to draft' }).click();
    await page.getByText('Enter a value or remove the line').waitFor();
    await expectFocus(page.getByLabel('Value 3', { exact: true }));
    await page.keyboard.type('red');
    await page.getByText('This value already exists.').waitFor();
    await page.getByRole('button', { name: 'Remove: red' }).last().click();
    await page.getByLabel('API name').fill('');
    await page.getByText('Enter a name.').waitFor();
    await page.getByLabel('API name').fill('colour');
    await page.getByRole('button', { name: 'Other languages, retire: red' }).click();
    await page.getByLabel('red: العربية').fill('أحمر');
    await page.getByRole('button', { name: 'Move up: red' }).click();
    await page.getByRole('combobox', { name: 'Default' }).click();
    await page.getByRole('option', { name: 'red' }).click();
    // The preview shows the input in the selected language, in that language's direction.
    const preview = page.getByTestId('preview');
    expect(
      await preview.getByRole('radio').evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value)),
    ).toEqual(['red', 'blue']);
    await page.getByRole('combobox', { name: 'Preview language' }).click();
    await page.getByRole('option', { name: 'العربية' }).click();
    await preview.getByText('أحمر').waitFor();
    expect(await preview.getAttribute('dir')).toBe('rtl');
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog.getByText('Unsaved changes on this page').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await save(page);

    await page.getByRole('main').getByRole('button', { name: 'Key' }).first().click();
    await text('English').fill('Colour');
    await page.getByText('Another key in this group already has this name.').waitFor();
    expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
    // Closed by accident: the input is still there.
    await page.keyboard.press('Escape');
    await page.getByRole('main').getByRole('button', { name: 'Key' }).first().click();
    expect(await text('English').inputValue()).toBe('Colour');
    await text('English').fill('');
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.getByText('7 unpublished changes').waitFor();
    await page.getByRole('button', { name: 'Publish…' }).click();
    await dialog.getByText(/Deutsch.*: 5 missing – users see .*English/).waitFor();
    await dialog.getByText('Whole number from 0 to 4').waitFor();
    const first = dialog.getByRole('link', { name: 'Translate first' });
    expect(await first.getAttribute('href')).toBe(`/portal/applications/${clientId}/translations?missing=any`);
    await dialog.getByText('Single choice; red, Blue; default: red').waitFor();
    await expectAccessible(page);
    await expectFocus(dialog.getByRole('button', { name: 'Publish', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByText('Published as revision 1.').waitFor();
    const next = page.getByRole('link', { name: 'Translate' });
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
    expect(pageErrors).toEqual([]);
  });
});
