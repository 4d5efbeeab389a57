import { afterAll, describe, expect, test } from 'vitest';
import { sqlite } from '../packages/server/test/databases.ts';
import { freePort } from '../packages/server/test/free-port.ts';
import { uniqueName } from '../packages/server/test/http/start.ts';
import { manageWith } from '../packages/server/test/manage/manage.ts';
import { type OidcProviderProcess, startOidcProvider } from '../packages/server/test/tokens/oidc-provider-process.ts';
import { expectAccessible, expectFits, openPortal } from './portal.ts';

describe('a portal with an OpenID provider and without passwords', () => {
  let provider: OidcProviderProcess;
  const portal = openPortal(sqlite, async () => {
    const port = String(await freePort());
    const publicUrl = `http://127.0.0.1:${port}`;
    const signIn = { redirectUri: `${publicUrl}/portal/oidc/callback`, signedOutUri: `${publicUrl}/portal/sign-in` };
    provider = await startOidcProvider({ signIn });
    return {
      port,
      publicUrl,
      oidcIssuer: provider.url,
      oidcClientId: provider.clientId,
      oidcClientSecret: provider.clientSecret,
      oidcName: 'Acme',
      oidcDomains: 'example.com',
      passwords: 'off',
    };
  });
  afterAll(() => provider?.stop());

  test('signs in, returns to the requested page, and signs out of the provider', async () => {
    const name = uniqueName('person');
    await provider.person({ sub: name, email: `${name}@example.com`, email_verified: true });
    const { page } = await portal.visit('/portal/account', { viewport: { width: 380, height: 760 } });
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
    expect(await page.getByLabel('Password').count()).toBe(0);
    await expectAccessible(page);
    await expectFits(page);
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
    expect(await page.getByRole('heading', { name: 'Password' }).count()).toBe(0);
    await page.getByRole('button', { name: `Account ${name}@example.com` }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.origin === provider.url && url.pathname === '/session/end');
  });

  test('says why a sign-in failed', async () => {
    await provider.person({ sub: uniqueName(), email: 'eve@evil.example', email_verified: true });
    const { page } = await portal.visit('/portal/sign-in');
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await page.getByRole('alert').getByText('There is no account for your e-mail address').waitFor();
    await expectAccessible(page);
  });

  test('an invitation is accepted with any account at the provider', async () => {
    const { clientId } = await portal.server.application();
    const email = `${uniqueName()}@agency.example`;
    await provider.person({ sub: email, email, email_verified: true });
    const manage = await manageWith(portal.server);
    const body = { email, role: 'translator' };
    const invited = await manage.send('POST', `/applications/${clientId}/invitations`, body);
    const { page } = await portal.visit(String(invited.json.link).slice(portal.server.url.length));
    await page.getByRole('link', { name: 'Sign in with Acme to accept' }).click();
    await page.getByText(`You are signed in as ${email}`).waitFor();
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.waitForURL(new RegExp(`/portal/applications/${clientId}`));
  });
});
