import { describe, expect, test } from 'vitest';
import { sqlite } from '../packages/server/test/databases.ts';
import { expectFits, openPortal } from './portal.ts';
import { CATALOG, enter } from './translations/room.ts';

const portal = openPortal(sqlite);
const PHONE = { viewport: { width: 390, height: 780 } };

describe('on a phone', () => {
  test('in German, no side of a conflict and no text is cut off, and errors are in German', async () => {
    const made = await enter(portal, CATALOG, { ...PHONE, locale: 'de-DE' });
    const { page, edit, get, pageErrors } = made;
    const room = (name: string) =>
      page.goto(made.address.replace(/^/, portal.server.url).replace('translations', name));
    const boxOf = async (name: string) => {
      const box = await page.getByRole('dialog').getByRole('button', { name, exact: true }).boundingBox();
      return box ?? { x: -1, y: -1, width: 0, height: 0 };
    };
    await page.getByRole('button', { name: /key 03/ }).click();
    expect((await boxOf('Abbrechen')).y).toBe((await boxOf('Speichern')).y);

    await room('catalog');
    await page.getByRole('treeitem', { name: /^Question 1\b/ }).click();
    await page.getByRole('textbox', { name: 'API-Name' }).fill('ein langer Name, den ich gewählt habe');
    const { groups } = (await get('/catalog/tree')).json as { groups: { keys: { keyUid: string }[] }[] };
    const theirs = { name: 'ein anderer langer Name von jemand anderem' };
    await edit('PATCH', `/keys/${groups[0]?.keys[1]?.keyUid}?draft=true`, theirs);
    await page.getByRole('button', { name: 'Im Entwurf speichern' }).click();
    const dialog = page.getByRole('dialog', { name: 'Jemand hat das geändert' });
    for (const text of ['Ihre Version', 'ein langer Name, den ich gewählt habe']) {
      const box = await dialog.getByText(text, { exact: true }).boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 390), text).toBeLessThan(390);
    }
    await dialog.getByRole('button', { name: 'Entwurf übernehmen' }).click();

    await edit('POST', '/groups', { name: 'more' });
    await room('revisions');
    const name = await page.getByRole('link', { name: 'Revision 1', exact: true }).boundingBox();
    expect(name?.height, 'in one line').toBeLessThan(40);
    await expectFits(page);

    await room('users');
    const add = async () => {
      await page.getByRole('button', { name: 'Benutzer anlegen' }).click();
      await page.getByRole('textbox', { name: 'clientUserId' }).fill('ada');
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Ada');
      await page.getByRole('button', { name: 'Anlegen', exact: true }).click();
    };
    await add();
    await page.getByRole('heading', { name: 'Ada' }).waitFor();
    await room('users');
    await add();
    await page
      .getByText('Ein anderer Benutzer oder ein anderes Profil dieser Anwendung hat diese clientUserId.')
      .waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('what an icon does is shown by touch, and by keyboard', async () => {
    const { clientId } = await portal.server.application();
    const { page } = await portal.enter(`/applications/${clientId}/catalog`, { ...PHONE, hasTouch: true });
    const copy = page.getByRole('button', { name: /^Copy/ }).first();
    const tip = page.getByRole('tooltip');
    await page.goto(`${portal.server.url}/portal/applications/${clientId}`);
    await copy.tap();
    await tip.getByText('Copied').waitFor();
    await page.touchscreen.tap(5, 700);
    await tip.waitFor({ state: 'detached' });
    await page.keyboard.press('Tab');
    await copy.focus();
    await tip.getByText(/^Copy/).waitFor();
  });
});
