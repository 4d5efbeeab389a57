import { describe, expect, test } from 'vitest';
import { sqlite } from '../../packages/server/test/databases.ts';
import { memberWith } from '../../packages/server/test/portal/portal.ts';
import { expectAccessible, expectFits, openPortal } from '../portal.ts';
import { makeApplication, row } from './room.ts';

const portal = openPortal(sqlite);

describe('the catalog room: roles', () => {
  test('a viewer can only read, a translator can publish texts', async () => {
    const app = await makeApplication(portal);
    const { keyUid } = await app.key('fruit');
    const enterAs = async (role: 'viewer' | 'translator') => {
      const { cookie } = await memberWith(portal.server, [{ appId: app.appId, role }]);
      const arrived = await portal.visit(`/portal${app.room}?item=${keyUid}`, { cookie });
      await arrived.page.getByRole('heading', { name: 'Fruit', level: 2 }).waitFor();
      return arrived.page;
    };
    const texts = [{ path: 'kitchen', language: 'de', text: 'Herd' }];
    await app.edit('PATCH', '/translations?draft=true', { texts });
    const viewer = await enterAs('viewer');
    await viewer.getByText('1 unpublished change').waitFor();
    for (const name of ['Group', 'Save to draft', 'Archive', 'Move up', 'Publish…', 'Discard…']) {
      expect([name, await viewer.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0]);
    }
    expect(await viewer.getByLabel('API name').isDisabled()).toBe(true);
    const translator = await enterAs('translator');
    await translator.getByRole('button', { name: 'Publish…' }).click();
    await translator.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
    await translator.getByText('Published as revision 2.').waitFor();
    await app.edit('PATCH', `/keys/${keyUid}?draft=true`, { name: 'apple' });
    await translator.reload();
    await translator.getByText('1 unpublished change').waitFor();
    expect(await translator.getByRole('button', { name: 'Discard…' }).count()).toBe(0);
    await translator.getByRole('button', { name: 'Publish…' }).click();
    await translator.getByText('The draft changes more than texts').waitFor();
    const publish = translator.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true });
    expect(await publish.isDisabled()).toBe(true);
  });

  test('fits a phone: the list, then the selected item, and back', async () => {
    const { room } = await makeApplication(portal);
    const { page, pageErrors } = await portal.enter(room, { viewport: { width: 380, height: 760 } });
    await expectFits(page);
    await row(page, 'Fruit').click();
    await page.getByRole('heading', { name: 'Fruit', level: 2 }).waitFor();
    await expectFits(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'All groups and keys' }).click();
    await row(page, 'Fruit').waitFor();
    expect(pageErrors).toEqual([]);
  });
});
