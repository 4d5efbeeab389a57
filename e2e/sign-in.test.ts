import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { makeTotpSecret, totpCode } from '../packages/server/src/domain/accounts/confirm-identity.ts';
import { inviteMember } from '../packages/server/src/domain/accounts/invitations.ts';
import { hashPassword } from '../packages/server/src/domain/accounts/password.ts';
import type { Role } from '../packages/server/src/storage/port.ts';
import { sqlite } from '../packages/server/test/databases.ts';
import { startTestServer, type TestServer, uniqueName } from '../packages/server/test/http/start.ts';
import { memberWith, PASSWORD, setUpToken, signInToken, tokenOf } from '../packages/server/test/portal/portal.ts';
import { expectAccessible, expectFits, openPortal } from './portal.ts';

const PHONE = { viewport: { width: 380, height: 760 } };
const account = (page: Page) => page.getByRole('button', { name: /^Account / });

/** Creates an account with a password, without a browser. */
async function withPassword(server: TestServer, totp?: Uint8Array): Promise<string> {
  const { storage, keyring, now } = server.service;
  const { accountId, sessionId, email } = await memberWith(server, []);
  expect(await storage.accounts.setPassword(accountId, await hashPassword(PASSWORD), sessionId)).toBe('set');
  if (totp) {
    const pendingTotp = keyring.sealTotp(totp);
    await storage.secondFactors.begin(accountId, pendingTotp);
    await storage.secondFactors.confirm(accountId, { pendingTotp, step: 1, recoveryHashes: [] });
  }
  expect(now()).toBeGreaterThan(0);
  return email;
}

async function fill(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describe('signing in', () => {
  const portal = openPortal(sqlite);

  test('a set-up link creates the first account by keyboard, and opening it does not use it up', async () => {
    const path = `/portal/sign-in#${await setUpToken(portal.server)}`;
    await portal.visit(path);
    const { page, pageErrors } = await portal.visit(path, PHONE);
    await page.getByRole('heading', { name: 'Set up the portal' }).waitFor();
    await expectFits(page);
    await expectAccessible(page);
    // The first field has the focus.
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type('password1234');
    await page.keyboard.press('Enter');
    await page.getByText('This password is too common').waitFor();
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await account(page).waitFor();
    expect(page.url()).toBe(`${portal.server.url}/portal`);
    expect(await page.evaluate(() => document.cookie)).toBe('');
    // A signed-in user stays signed in, whether they open the used link or the sign-in page.
    await page.goto(portal.server.url + path);
    await page.getByText('you are already signed in').waitFor();
    await account(page).waitFor();
    await page.goto(`${portal.server.url}/portal/sign-in`);
    await account(page).waitFor();
    expect(pageErrors).toEqual([]);

    const late = await portal.visit(path);
    await late.page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
    await late.page.getByText('ask the sender for a new link').waitFor();
    expect(await late.page.getByText('innkeeper admin create').isVisible()).toBe(false);
  });

  test('e-mail and password lead to the requested page; an error does not say which was wrong', async () => {
    const email = await withPassword(portal.server);
    const { page, pageErrors } = await portal.visit('/portal/account', PHONE);
    await page.waitForURL('**/sign-in?next=%2Faccount');
    await expectFits(page);
    await expectAccessible(page);
    await fill(page, 'nobody@example.com', PASSWORD);
    await page.getByRole('alert').filter({ hasText: 'Wrong e-mail address or password.' }).waitFor();
    await fill(page, email, 'not the password');
    await page.getByRole('alert').filter({ hasText: 'Wrong e-mail address or password.' }).waitFor();
    await page.getByRole('button', { name: /Forgot your password/ }).click();
    await page.getByText('innkeeper admin create').waitFor();
    await fill(page, email, PASSWORD);
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
    expect(page.url()).toBe(`${portal.server.url}/portal/account`);
    expect(pageErrors).toEqual([]);
  });

  test('with two-step sign-in, a code is required last and works once', async () => {
    const secret = makeTotpSecret();
    const email = await withPassword(portal.server, secret);
    const code = () => totpCode(secret, Math.floor(Date.now() / 30_000));
    const { page, pageErrors } = await portal.visit('/portal/sign-in');
    await fill(page, email, PASSWORD);
    await page.getByLabel('Code').fill('000000');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'This code is wrong' }).waitFor();
    await expectAccessible(page);
    const used = code();
    await page.getByLabel('Code').fill(used);
    await page.keyboard.press('Enter');
    await account(page).waitFor();
    expect(pageErrors).toEqual([]);
    // A code seen over somebody's shoulder is already used.
    const other = await portal.visit('/portal/sign-in');
    await fill(other.page, email, PASSWORD);
    await other.page.getByLabel('Code').fill(used);
    await other.page.keyboard.press('Enter');
    await other.page.getByRole('alert').filter({ hasText: 'already used' }).waitFor();
  });

  test('a sign-in link works once; a used one says so and how to get another', async () => {
    const path = `/portal/sign-in#${await signInToken(portal.server, 'grace@example.com')}`;
    const { page, pageErrors } = await portal.visit(path);
    await page.getByText('This link signs in grace@example.com once').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await account(page).waitFor();
    await page.goBack().catch(() => null);
    expect(page.url()).not.toContain('ikl_');
    const again = await portal.visit(path);
    await again.page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
    await expectAccessible(again.page);
    expect([...pageErrors, ...again.pageErrors]).toEqual([]);
  });

  const invite = async (role: Role, email = `${uniqueName('member')}@example.com`) => {
    const { server } = portal;
    const { appId, clientId } = await server.application();
    await server.service.storage.applications.update(appId, { name: XSS });
    const { link } = await inviteMember(server.service, { appId, email, role, invitedBy: XSS, inviterId: null });
    return { path: `/portal/sign-in#${tokenOf(link)}`, clientId, appId, email };
  };

  test('an invitation creates an account with only that role', async () => {
    const { path, clientId, email } = await invite('viewer');
    const other = await portal.server.application();
    const { page, pageErrors } = await portal.visit(path, PHONE);
    await page.getByText('As a viewer you can see everything except user data and members.').waitFor();
    await page.getByText(`${XSS} invited you to work on ${XSS}.`).waitFor();
    await expectFits(page);
    await expectAccessible(page);
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(email);
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await account(page).waitFor();
    await page.goto(`${portal.server.url}/portal/applications/${clientId}/members`);
    await page.getByRole('heading', { name: 'Your role does not allow this' }).waitFor();
    await page.goto(`${portal.server.url}/portal/applications/${other.clientId}`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await page.title()).not.toBe('owned');
    expect(pageErrors).toEqual([]);
  });

  test('an existing account signs in to accept; if signed in, a button is enough', async () => {
    const email = await withPassword(portal.server);
    const { path, clientId } = await invite('editor', email);
    const { page, pageErrors } = await portal.visit(path);
    await page.getByText('I have an account').click();
    await page.getByText(`Sign in as ${email} to accept.`).waitFor();
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`**/portal/applications/${clientId}`);
    const second = await invite('owner', email);
    await page.goto(`${portal.server.url}${second.path}`);
    await page.reload();
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.waitForURL(`**/portal/applications/${second.clientId}`);
    expect(pageErrors).toEqual([]);
  });

  test('a session planted in the browser never becomes valid', async () => {
    const { page } = await portal.visit('/portal/sign-in');
    const planted = `iks_${'f'.repeat(43)}`;
    await page.context().addCookies([{ name: 'innkeeper', value: planted, url: portal.server.url }]);
    await fill(page, await withPassword(portal.server), PASSWORD);
    await account(page).waitFor();
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ name: 'innkeeper', httpOnly: true, sameSite: 'Strict', path: '/' });
    expect(cookie?.value).not.toBe(planted);
    const headers = { cookie: `innkeeper=${planted}` };
    expect((await portal.server.send('GET', '/manage/v1/session', { headers })).status).toBe(401);
  });

  test('another page of the same site cannot make the browser change anything', async () => {
    const { page } = await portal.enter();
    const before = (await portal.server.service.storage.applications.list()).length;
    // Another port is another origin but the same site, so SameSite=Strict sends the cookie.
    const neighbour = await startTestServer(await sqlite.fresh());
    try {
      await page.goto(`${neighbour.url}/livez`);
      const sent = await page.evaluate(
        async ([url]) => {
          const body = '{"name":"Forged"}';
          const plain = { method: 'POST', mode: 'no-cors', credentials: 'include', body } as const;
          await fetch(`${url}/manage/v1/applications`, plain);
          const headers = { 'X-Innkeeper-Portal': '1' };
          return fetch(`${url}/manage/v1/applications`, { method: 'POST', credentials: 'include', headers, body }).then(
            () => 'sent',
            () => 'blocked',
          );
        },
        [portal.server.url],
      );
      expect(sent).toBe('blocked');
      expect(await portal.server.service.storage.applications.list()).toHaveLength(before);
    } finally {
      await neighbour.close();
    }
  });
});

const XSS = '<img src=x onerror="document.title=`owned`">';
