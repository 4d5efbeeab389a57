import { describe, expect, test } from 'vitest';
import { postgres } from '../packages/server/test/databases.ts';
import { withCatalog } from '../packages/server/test/http/options/example-catalog.ts';
import { bearer, makeSignedInUser } from '../packages/server/test/http/start.ts';
import { expectAccessible, expectFits, openPortal } from './portal.ts';

describe('the overview of the portal', () => {
  const portal = openPortal(postgres);

  test('shows the next steps until they are done, then the activity', async () => {
    const { application, apiKey, choice } = await withCatalog(portal.server, {
      languages: [{ name: 'English', tag: 'en', default: true }],
      groups: [{ name: 'kitchen', keys: [{ name: 'portions', type: 'integer' }] }],
    });
    const { clientId, clientSecret } = application;
    const { page, pageErrors } = await portal.enter(`/applications/${clientId}`);
    await page.getByText('4 of 7 done').waitFor();
    await page.getByText('Create the first user').waitFor();
    expect(await page.getByRole('link', { name: 'Open snippets' }).getAttribute('href')).toContain('/connect');
    await page.getByText('No requests yet.').waitFor();

    const user = await makeSignedInUser(portal.server, application);
    await portal.server.post('/api/user_options', await choice('portions', [2]), {
      ...apiKey,
      ...bearer(user.accessToken),
    });
    await portal.server.post('/oauth/v2/get-access-token', { clientSecret, specialToken: 'spent' });
    // "All set" is shown once, also after visiting another room, and not on later visits.
    await page.getByRole('link', { name: 'Credentials' }).click();
    await page.getByRole('heading', { name: 'Credentials', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    const done = page.getByText('All set: your application is live');
    await done.waitFor();
    await page.reload();
    await page.getByText('Last request').waitFor();
    expect(await done.or(page.getByRole('heading', { name: 'Next steps' })).count()).toBe(0);
    await page.getByText('Working').waitFor();
    await page.getByText('20% of requests').waitFor();
    const errors = page.getByRole('link', { name: 'Errors (24 h)' });
    expect(await errors.getAttribute('href')).toMatch(/\/requests\?status=failed&span=day$/);
    await page.locator('main svg text').first().waitFor();

    // Tables are for screen readers, and for anyone who wants figures.
    await page.getByRole('switch', { name: 'Show as tables' }).click();
    const table = page.getByRole('region', { name: 'Requests and errors' });
    // A new hour may have begun meanwhile, so sum up all rows.
    const figures = async () => {
      const rows = await table
        .getByRole('row')
        .filter({ has: page.getByRole('cell') })
        .allInnerTexts();
      const [requests, errors] = [1, 2].map((place) =>
        rows.reduce((sum, row) => sum + Number(row.split('\t')[place]), 0),
      );
      return { requests, errors };
    };
    await expect.poll(figures).toEqual({ requests: 5, errors: 1 });
    await page.getByText('1 year').click();
    await page.getByRole('columnheader', { name: 'Day (UTC)' }).first().waitFor();

    await page.getByText('specialToken is invalid: it is unknown').waitFor();
    expect(await page.getByRole('link', { name: '0008 in the guide' }).getAttribute('href')).toContain(
      '/guide/errors#',
    );
    await page.getByRole('link', { name: '0008', exact: true }).click();
    await page.waitForURL('**/requests?code=*');
    await page.getByRole('button', { name: 'POST /oauth/v2/get-access-token' }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('fits a phone and is accessible', async () => {
    const { application } = await withCatalog(portal.server);
    const { page } = await portal.enter(`/applications/${application.clientId}`, {
      viewport: { width: 380, height: 760 },
    });
    await page.locator('main svg text').first().waitFor();
    await expectFits(page);
    await expectAccessible(page);
    await page.getByRole('switch', { name: 'Show as tables' }).click();
    await page.getByRole('region', { name: 'Requests and errors' }).waitFor();
    await expectAccessible(page);
  });
});
