import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { makeTotpSecret, totpCode } from '../packages/server/src/domain/accounts/confirm-identity.ts';
import { sqlite } from '../packages/server/test/databases.ts';
import { uniqueName } from '../packages/server/test/http/start.ts';
import { manageAs } from '../packages/server/test/manage/manage.ts';
import { openSession, PASSWORD } from '../packages/server/test/portal/portal.ts';
import { download, expectAccessible, expectFits, openPortal } from './portal.ts';

const section = (page: Page, name: string) => page.getByRole('region', { name });
const someone = () => `${uniqueName()}@example.com`;

describe('the account room', () => {
  const portal = openPortal(sqlite);
  const enter = async (email = someone(), options = {}) => ({
    ...(await portal.enter('/account', { email, ...options })),
    email,
  });
  const setPassword = async (page: Page) => {
    await section(page, 'Password').getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Password changed.').waitFor();
  };

  test('sets a password, requires it from then on, and explains an invalid one', async () => {
    const { page, pageErrors, email } = await enter();
    await page.getByText('No password set').waitFor();
    const password = section(page, 'Password');
    await password.getByRole('textbox', { name: 'New password' }).fill('password1234');
    await password.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('This password is too common').waitFor();
    await setPassword(page);
    await page.getByText('No password set').waitFor({ state: 'hidden' });
    expect((await openSession(portal.server, { email, password: PASSWORD })).status).toBe(201);

    // In a session opened with the password, changing it requires the current one.
    const other = await portal.visit('/portal/sign-in?next=/account');
    await other.page.getByLabel('E-mail address').fill(email);
    await other.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    const current = section(other.page, 'Password').getByRole('textbox', { name: 'Current password' });
    await current.fill('wrong');
    await other.page.getByRole('textbox', { name: 'New password' }).fill('a brand new password for me');
    await other.page.getByRole('button', { name: 'Change password' }).click();
    await other.page.getByText('Wrong password.').waitFor();
    await current.fill(PASSWORD);
    await other.page.getByRole('button', { name: 'Change password' }).click();
    await other.page.getByText('Your other sessions have ended.').waitFor();
    // So does creating a token, because it outlives the session.
    await other.page.getByRole('button', { name: 'Create token' }).click();
    const dialogue = other.page.getByRole('dialog');
    await dialogue.getByLabel('Name').fill('deploy');
    await dialogue.getByRole('textbox', { name: 'Current password' }).fill(PASSWORD);
    await dialogue.getByRole('button', { name: 'Create token' }).click();
    await dialogue.getByText('Wrong password.').waitFor();
    await dialogue.getByRole('textbox', { name: 'Current password' }).fill('a brand new password for me');
    await dialogue.getByRole('button', { name: 'Create token' }).click();
    await section(other.page, 'Personal access tokens').getByText(/^ikp_/).waitFor();
    await page.reload();
    await page.waitForURL('**/sign-in?next=%2Faccount');
    expect([...pageErrors, ...other.pageErrors]).toEqual([]);
  });

  test('turns two-step sign-in on with a QR code, a secret and a first code, and off again', async () => {
    const { page, pageErrors, email } = await enter();
    await setPassword(page);
    const totp = section(page, 'Two-step sign-in');
    await totp.getByRole('button', { name: 'Turn on' }).click();
    const dialogue = page.getByRole('dialog');
    await dialogue.getByRole('button', { name: 'Continue' }).click();
    await dialogue.getByRole('img', { name: /^QR code/ }).waitFor();
    await expectAccessible(page);
    const secret = fromBase32((await dialogue.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '');
    await dialogue.getByLabel('Six-digit code').fill('000000');
    await page.keyboard.press('Enter');
    await dialogue.getByText('Wrong code').waitFor();
    const step = Math.floor(Date.now() / 30_000);
    await dialogue.getByLabel('Six-digit code').fill(totpCode(secret, step));
    await page.keyboard.press('Enter');
    const list = dialogue.getByRole('list', { name: 'Recovery codes' });
    await list.waitFor();
    const codes = await list.getByRole('listitem').allTextContents();
    expect(codes).toHaveLength(10);
    expect(await dialogue.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
    // Recovery codes are shown only once: Escape and a close button do not work here, and one click copies them all.
    await page.keyboard.press('Escape');
    expect(await dialogue.getByRole('button', { name: 'Close' }).count()).toBe(0);
    const file = await download(page, () => dialogue.getByRole('button', { name: 'Download as a file' }).click());
    expect(file.text.trim().split('\n')).toEqual(codes);
    await dialogue.getByLabel('I have saved the codes').check();
    await dialogue.getByRole('button', { name: 'Done' }).click();
    await totp.getByText('10 recovery codes left.').waitFor();
    const [recovery, second] = codes as [string, string];
    expect((await openSession(portal.server, { email, password: PASSWORD })).json.needs).toBe('code');
    expect((await openSession(portal.server, { email, password: PASSWORD, code: recovery })).status).toBe(201);

    // The sign-in link that opened this session replaces the password, but never the code.
    await totp.getByRole('button', { name: 'Create new recovery codes' }).click();
    const code = dialogue.getByLabel('Authenticator code');
    await code.fill('000000');
    await dialogue.getByRole('button', { name: 'Create new recovery codes' }).click();
    await dialogue.getByText('This code is wrong').waitFor();
    expect(await dialogue.getByRole('textbox', { name: 'Current password' }).count()).toBe(0);
    await code.fill(second);
    await dialogue.getByRole('button', { name: 'Create new recovery codes' }).click();
    await dialogue.getByLabel('I have saved the codes').check();
    await dialogue.getByRole('button', { name: 'Done' }).click();
    await totp.getByRole('button', { name: 'Turn off' }).click();
    await dialogue.getByText('Your recovery codes stop working.').waitFor();
    await code.fill(totpCode(secret, step + 1));
    await dialogue.getByRole('button', { name: 'Turn off' }).dblclick();
    await totp.getByRole('button', { name: 'Turn on' }).waitFor();
    expect((await openSession(portal.server, { email, password: PASSWORD })).status).toBe(201);
    expect(pageErrors).toEqual([]);
  });

  test('without a password, requires only a code, or explains how to get a new link', async () => {
    const { page, pageErrors, email } = await enter();
    const { service } = portal.server;
    const { now } = service;
    try {
      service.now = () => now() + 16 * 60_000;
      await page.reload();
      const command = `innkeeper admin create --email ${email}`;
      await section(page, 'Password').getByText(command).waitFor();
      expect(await page.getByRole('button', { name: 'Set password' }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'Create token' }).click();
      const dialogue = page.getByRole('dialog');
      await dialogue.getByText('Sign in with a new link first').waitFor();
      await dialogue.getByText(command).waitFor();
      expect(await dialogue.getByRole('button', { name: 'Create token' }).isDisabled()).toBe(true);
      await expectAccessible(page);
      await page.keyboard.press('Escape');

      const found = await service.storage.accounts.findByEmail(email);
      const accountId = found?.account.accountId as string;
      const [secret, step] = [makeTotpSecret(), Math.floor(service.now() / 30_000)];
      const pendingTotp = service.keyring.sealTotp(secret);
      await service.storage.secondFactors.begin(accountId, pendingTotp);
      await service.storage.secondFactors.confirm(accountId, { pendingTotp, step: step - 1, recoveryHashes: [] });
      await page.reload();
      await page.getByRole('button', { name: 'Create token' }).click();
      await dialogue.getByLabel('Name').fill('deploy');
      expect(await dialogue.getByRole('textbox', { name: 'Current password' }).count()).toBe(0);
      await dialogue.getByLabel('Authenticator code').fill(totpCode(secret, step));
      await dialogue.getByRole('button', { name: 'Create token' }).click();
      await section(page, 'Personal access tokens').getByText(/^ikp_/).waitFor();
    } finally {
      service.now = now;
    }
    expect(pageErrors).toEqual([]);
  });

  test('lists sessions and ends the others', async () => {
    const email = someone();
    const [phone, tablet, desk] = [await enter(email), await enter(email), await enter(email)];
    const sessions = section(desk.page, 'Sessions');
    await sessions.getByText('this session').waitFor();
    expect(await sessions.getByText('Chrome, Linux').count()).toBe(3);
    // On a busy machine, the message may be gone before the click returns.
    const ended = desk.page.getByText('Session ended.').waitFor();
    await sessions
      .getByRole('button', { name: /^End session/ })
      .first()
      .click();
    await ended;
    await expect.poll(() => sessions.getByRole('listitem').count()).toBe(2);
    await sessions.getByRole('button', { name: /^End session/ }).click();
    await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1);
    for (const { page } of [phone, tablet]) {
      await page.reload();
      await page.waitForURL('**/sign-in?next=%2Faccount');
    }
    await desk.page.reload();
    await sessions.getByText('this session').waitFor();
  });

  test('creates a token for some applications, shows it once, and revokes it', async () => {
    const { clientId } = await portal.server.application();
    const { page, pageErrors } = await enter();
    const tokens = section(page, 'Personal access tokens');
    await tokens.getByText('No tokens yet.').waitFor();
    await tokens.getByRole('button', { name: 'Create token' }).click();
    const dialogue = page.getByRole('dialog');
    await dialogue.getByLabel('Name').fill(XSS);
    await dialogue.getByRole('combobox', { name: 'Applications' }).click();
    await page.getByRole('option').last().click();
    await page.keyboard.press('Escape');
    await dialogue.getByRole('button', { name: 'Create token' }).click();
    const token = (await tokens.getByText(/^ikp_/).textContent()) as string;
    const program = manageAs(portal.server, token);
    expect((await program.get('/applications')).json).toMatchObject({
      total: 1,
      items: [{ clientId, access: 'read' }],
    });
    await page.reload();
    await tokens.getByText('Read', { exact: true }).waitFor();
    expect(await page.locator('body').innerText()).not.toContain('ikp_');
    await tokens.getByRole('button', { name: /^Revoke / }).click();
    await page.getByRole('dialog').getByText('lose access immediately').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await tokens.getByText('No tokens yet.').waitFor();
    expect((await program.get('/applications')).json.code).toBe('9401');
    expect(await page.title()).toBe('Account · Innkeeper');
    expect(pageErrors).toEqual([]);
  });

  test('theme and language follow the account to another browser', async () => {
    const { page, email } = await enter();
    await page.getByText('Dark', { exact: true }).click();
    await page.getByRole('combobox', { name: 'Language' }).click();
    await page.getByRole('option', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { name: 'Konto', level: 1 }).waitFor();
    const kept = async () =>
      (await portal.server.service.storage.accounts.findByEmail(email))?.account.preferences ?? '{}';
    await expect.poll(async () => JSON.parse(await kept())).toEqual({ theme: 'dark', language: 'de' });
    const other = await portal.enter('', { email });
    await other.page.getByRole('heading', { name: 'Anwendungen', level: 1 }).waitFor();
    await expect
      .poll(() => other.page.evaluate(() => document.documentElement.dataset.mantineColorScheme))
      .toBe('dark');
  });

  test('fits a phone and is accessible', async () => {
    const { page } = await enter(undefined, { viewport: { width: 380, height: 760 } });
    await section(page, 'Sessions').getByText('this session').waitFor();
    await expectFits(page);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await expectFits(page);
    await expectAccessible(page);
  });
});

const XSS = '<img src=x onerror="document.title=`owned`">';

function fromBase32(text: string): Uint8Array {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
