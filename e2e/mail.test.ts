import { afterAll, describe, expect, test } from 'vitest';
import { sqlite } from '../packages/server/test/databases.ts';
import { uniqueName } from '../packages/server/test/http/start.ts';
import { type MailServer, startMailServer } from '../packages/server/test/mail/mail-server.ts';
import { memberWith, PASSWORD, signedIn } from '../packages/server/test/portal/portal.ts';
import { expectAccessible, expectFits, openPortal } from './portal.ts';

describe('a portal that sends mail', () => {
  let mail: MailServer;
  const portal = openPortal(sqlite, async () => {
    mail = await startMailServer();
    return { smtpUrl: mail.url, mailFrom: 'Innkeeper <innkeeper@example.com>' };
  });
  afterAll(() => mail?.close());
  const pathIn = (text = ''): string => (/http\S+#ik\w_[\w-]+/.exec(text)?.[0] ?? '').slice(portal.server.url.length);

  test('a forgotten password is reset by a mailed link', async () => {
    const email = `${uniqueName()}@example.com`;
    await signedIn(portal.server, email);
    const { page, pageErrors } = await portal.visit('/portal/sign-in', { viewport: { width: 380, height: 760 } });
    await page.getByRole('textbox', { name: 'E-mail address' }).fill(email);
    await page.getByRole('button', { name: 'Forgot your password?' }).click();
    await expectAccessible(page);
    await expectFits(page);
    // The address is already filled in.
    await page.getByRole('button', { name: 'Reset password' }).click();
    await page.getByText(`If there is an account for ${email}`).waitFor();
    await expectAccessible(page);
    const [received] = await mail.mailsTo(email, 1);
    await page.goto(portal.server.url + pathIn(received?.text));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Password changed').waitFor();
    expect(pageErrors).toEqual([]);
  });

  test('an invitation is sent by mail, and its link can still be copied', async () => {
    const { appId, clientId } = await portal.server.application();
    const owner = await memberWith(portal.server, [{ appId, role: 'owner' }]);
    const { page, pageErrors } = await portal.visit(`/portal/applications/${clientId}/members`, {
      cookie: owner.cookie,
    });
    const email = `${uniqueName()}@example.com`;
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Send invitation' }).click();
    await page.getByText(`Invitation sent to ${email}`).waitFor();
    const link = await page.getByText(/#iki_/).textContent();
    await expectAccessible(page);
    const [received] = await mail.mailsTo(email, 1);
    expect(portal.server.url + pathIn(received?.text)).toBe(link);
    expect(pageErrors).toEqual([]);
  });
});
