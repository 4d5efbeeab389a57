import { describe, expect, test } from 'vitest';
import type { SelectionRecord } from '../packages/server/src/storage/port.ts';
import { postgres } from '../packages/server/test/databases.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { bearer, makeSignedInUser } from '../packages/server/test/http/start.ts';
import { download, expectAccessible, expectFits, openPortal } from './portal.ts';

describe('the insights room', () => {
  const portal = openPortal(postgres);

  test('shows what users chose, now and over time, and exports it', async () => {
    const { server } = portal;
    const shop = await withCatalog(server);
    const eaters: string[] = [];
    for (const fruit of [['apple'], ['apple', 'cherry'], undefined]) {
      const user = await makeSignedInUser(server, shop.application);
      eaters.push(user.userCode);
      const headers = { ...shop.apiKey, ...bearer(user.accessToken) };
      if (fruit) await server.post('/api/user_options', await shop.choice('fruit', fruit), headers);
    }
    const { clientId } = shop.application;
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}/insights`);
    // All keys at once, each with the number of users who never chose.
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
    // The bar is as long as the share, on a scale from 0 to 100 %.
    const barOf = (name: string) =>
      row(name)
        .locator('svg')
        .evaluate((svg) => {
          const [bar, track] = [svg.querySelector('rect') as SVGRectElement, svg as SVGElement];
          return bar.getBoundingClientRect().width / track.getBoundingClientRect().width;
        });
    expect(await barOf('Apple')).toBeCloseTo(1, 2);
    expect(await barOf('cherry')).toBeCloseTo(0.5, 2);
    const image = await download(page, () => page.getByRole('button', { name: 'Export image' }).click());
    expect(image.name).toBe('kitchen-fruit.svg');
    const bars = await page.evaluate((svg) => {
      const drawn = new DOMParser().parseFromString(svg, 'image/svg+xml');
      const texts = [...drawn.querySelectorAll('text')].map(({ textContent }) => textContent);
      const widths = [...drawn.querySelectorAll('rect[fill="#0b7285"]')].map((bar) =>
        Number(bar.getAttribute('width')),
      );
      return { texts, widths };
    }, image.text);
    expect(bars.widths).toEqual([380, 0, 190]);
    expect(bars.texts).toEqual(expect.arrayContaining(['Fruit', '0%', '100%', 'Apple', '100% (2)', '50% (1)']));
    await page.getByRole('img', { name: 'Selections over time' }).locator('svg rect').first().waitFor();
    await expectAccessible(page);
    await page.getByRole('switch', { name: 'Show as table' }).press('Space');
    await expect.poll(() => page.getByRole('table').last().getByRole('row').last().innerText()).toMatch(/2\s+0\s+1$/);
    const file = await download(page, () => page.getByRole('button', { name: 'Export CSV' }).click());
    expect(file.name).toBe('kitchen-fruit.csv');
    expect(file.text).toContain('now,2,0,1,2,1');
    // A user who chose in the previous period.
    const { selections } = server.service.storage;
    const early = await makeSignedInUser(server, shop.application);
    const [record] = await selections.list(eaters[0] as string);
    const saved = { ...(record as SelectionRecord), selectionId: crypto.randomUUID() };
    const at = Date.now() - 35 * 86_400_000;
    await selections.save(shop.application.appId, early.userCode, [saved], { at, authMethod: 'manage' });
    await page.reload();
    await page.getByRole('switch', { name: 'Compare with previous period' }).press('Space');
    const compared = (name: string) =>
      page
        .getByRole('region', { name: 'Compared with previous period' })
        .getByRole('row', { name: new RegExp(`^${name} `) });
    await expect.poll(() => compared('Apple').innerText()).toMatch(/1 \(100%\)\s+2 \(100%\)\s+\+1/);
    expect(await compared('cherry').innerText()).toMatch(/0 \(0%\)\s+1 \(50%\)\s+\+1/);
    expect(await compared('Users').innerText()).toMatch(/1\s+2\s+\+1/);
    await expectAccessible(page);
    await page.reload();
    await expect.poll(() => row('Apple').innerText()).toMatch(/3\s+100%/);
    await row('Apple').getByRole('link', { name: '3' }).click();
    await page.getByText('Fruit: Apple').waitFor();
    await page.getByText('3 users').waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('fits a phone; without a catalog it links to the catalog room', async () => {
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
