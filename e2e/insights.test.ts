import { describe, expect, test } from 'vitest';
import { postgres } from '../packages/server/test/databases.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { bearer, makeSignedInUser } from '../packages/server/test/http/start.ts';
import { download, expectAccessible, expectFits, openPortal } from './portal.ts';

describe('the insights room', () => {
  const portal = openPortal(postgres);

  test('shows how users chose, now and over time, and exports it', async () => {
    const { server } = portal;
    const shop = await withCatalog(server);
    for (const fruit of [['apple'], ['apple', 'cherry'], undefined]) {
      const user = await makeSignedInUser(server, shop.application);
      const headers = { ...shop.apiKey, ...bearer(user.accessToken) };
      if (fruit) await server.post('/api/user_options', await shop.choice('fruit', fruit), headers);
    }
    const { clientId } = shop.application;
    const { page, complaints } = await portal.enter(`/applications/${clientId}/insights`);
    // All keys at once, each with the users who never chose.
    const summary = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) });
    await expect.poll(() => summary('Fruit').innerText()).toMatch(/66\.7%\s+33\.3%\s+Apple \(100%\)/);
    await expect.poll(() => summary('portions').innerText()).toMatch(/0%\s+100%\s+No selections yet/);
    await expectAccessible(page);
    const all = await download(page, () => page.getByRole('button', { name: 'Export CSV' }).click());
    expect(all.name).toBe('insights.csv');
    expect(all.text).toContain('kitchen,fruit,3,2,1,');
    expect(all.text.trim().split('\r\n').length).toBe(await page.getByRole('row').count());
    await page.getByRole('combobox', { name: 'Key', exact: true }).click();
    await page.getByRole('option', { name: 'Fruit' }).click();
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });
    await expect.poll(() => row('Apple').innerText()).toMatch(/2\s+100%/);
    expect(await row('cherry').innerText()).toMatch(/1\s+50%/);
    await page.getByText('Default: Apple').waitFor();
    await page.getByRole('img', { name: 'Selections over time' }).locator('path.recharts-rectangle').first().waitFor();
    await expectAccessible(page);
    await page.getByRole('switch', { name: 'Show as table' }).press('Space');
    await expect.poll(() => page.getByRole('table').last().getByRole('row').last().innerText()).toMatch(/2\s+0\s+1$/);
    const file = await download(page, () => page.getByRole('button', { name: 'Export CSV' }).click());
    expect(file.name).toBe('kitchen-fruit.csv');
    expect(file.text).toContain('now,2,0,1,2,1');
    await page.reload();
    await expect.poll(() => row('Apple').innerText()).toMatch(/2\s+100%/);
    expect(complaints).toEqual([]);
  });

  test('fits a phone; without a catalog it leads there', async () => {
    const { clientId } = await portal.server.application();
    const shop = await withCatalog(portal.server);
    const phone = { viewport: { width: 380, height: 760 } };
    const { page } = await portal.enter(`/applications/${shop.application.clientId}/insights`, phone);
    await page.getByText('0%').first().waitFor();
    await expectFits(page);
    await page.getByRole('link', { name: 'Fruit' }).click();
    await page.getByText('No selections in this period.').waitFor();
    await expectFits(page);
    await page.goto(`${portal.server.url}/portal/applications/${clientId}/insights`);
    await page.getByRole('link', { name: 'Open catalog' }).waitFor();
  });
});
