import { describe, expect, test } from 'vitest';
import { postgres } from '../packages/server/test/databases.ts';
import { EXAMPLE } from '../packages/server/test/http/options/example-catalog.ts';
import { editorOf, manageWith } from '../packages/server/test/manage/manage.ts';
import { expectAccessible, expectFits, openPortal } from './portal.ts';

describe('the room of revisions', () => {
  const portal = openPortal(postgres);

  async function application() {
    const made = await portal.server.application();
    const path = `/applications/${made.clientId}`;
    const editor = editorOf(await manageWith(portal.server), path);
    await editor.edit('PUT', '', EXAMPLE);
    await editor.edit('POST', '/groups', { name: 'second' });
    const { keyUid } = await editor.key('fruit');
    await editor.edit('PATCH', `/keys/${keyUid}`, { name: 'apple' });
    return { ...made, ...editor, room: `${path}/revisions` };
  }

  test('lists, shows and compares any two revisions', async () => {
    const { room } = await application();
    const { page, pageErrors } = await portal.enter(room);
    await page.getByRole('link', { name: 'Revision 3', exact: true }).waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'token:tests' }).count()).toBe(3);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Compare revisions' }).click();
    await page.getByText('was fruit').waitFor();
    await page.getByLabel('From revision').fill('1');
    await page.getByText('second').waitFor();
    await page.getByRole('button', { name: 'Swap' }).click();
    await page.getByText('was apple').waitFor();
    expect(page.url()).toContain('from=3&to=1');
    await page.getByRole('link', { name: 'All revisions' }).click();
    await page.getByRole('link', { name: 'Revision 1', exact: true }).click();
    await page.getByRole('tab', { name: 'Full catalog' }).click();
    await page.getByText('"vegetarian"').waitFor();
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  test('shows the note of a revision', async () => {
    const { room, edit } = await application();
    await edit('PATCH', '/translations?draft=true', { texts: [{ path: 'second', language: 'en', text: 'Second' }] });
    const { page, pageErrors } = await portal.enter(room.replace('revisions', 'catalog'));
    await page.getByRole('button', { name: 'Publish…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Note (optional)' }).fill('Asked for by support\n<b>twice</b>');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Published as revision 4').waitFor();
    await page.getByRole('link', { name: 'Revisions' }).click();
    await page.getByRole('listitem').filter({ hasText: 'Asked for by support' }).waitFor();
    await page.getByRole('link', { name: 'Revision 4', exact: true }).click();
    await page.getByText('<b>twice</b>').waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('restores a revision as a draft or as a new revision', async () => {
    const { room, tree, edit } = await application();
    // Restore from the list.
    const { page, pageErrors } = await portal.enter(room);
    await page.getByRole('button', { name: 'Restore revision 1' }).click();
    await page.getByRole('menuitem', { name: 'Restore as draft' }).click();
    await page.getByRole('heading', { name: 'Catalog', level: 1 }).waitFor();
    await page.getByText('2 unpublished changes').waitFor();
    await page.goto(`${portal.server.url}/portal${room}?revision=2`);
    await page.getByRole('button', { name: 'Publish again' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('was apple').waitFor();
    // Someone else publishes meanwhile: the newer revision is compared.
    await edit('POST', '/groups', { name: 'third' });
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await dialog.getByText('third').first().waitFor();
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Published as revision 5.').waitFor();
    await page.getByRole('link', { name: 'Revision 5', exact: true }).waitFor();
    expect((await tree()).groups[0]?.keys.map(({ name }) => name)).toContain('fruit');
    expect(pageErrors).toEqual([]);
  });

  test('says when there are no revisions, and when one does not exist; fits a phone', async () => {
    const { clientId } = await portal.server.application();
    const { page } = await portal.enter(`/applications/${clientId}/revisions`, {
      viewport: { width: 380, height: 760 },
    });
    await page.getByText('No revisions yet').waitFor();
    const { room } = await application();
    await page.goto(`${portal.server.url}/portal${room}?revision=99`);
    await page.getByText('Catalog revision not found').waitFor();
    await page.goto(`${portal.server.url}/portal${room}?from=0&to=3`);
    await page.getByText('kitchen/portions').waitFor();
    await expectFits(page);
    await page.getByRole('link', { name: 'All revisions' }).click();
    const label = page.getByRole('listitem').getByText('Compare', { exact: true }).first();
    expect(await label.evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
    await expectFits(page);
  });
});
