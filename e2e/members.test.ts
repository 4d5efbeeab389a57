import { describe, expect, test } from 'vitest';
import type { Role } from '../packages/server/src/storage/port.ts';
import { postgres } from '../packages/server/test/databases.ts';
import { uniqueName } from '../packages/server/test/http/start.ts';
import { editor } from '../packages/server/test/manage/manage.ts';
import { memberWith, PASSWORD, type Visitor } from '../packages/server/test/portal/portal.ts';
import { expectAccessible, expectFits, expectFocus, expectHeld, openPortal, type Visit } from './portal.ts';

describe('the members room', () => {
  const portal = openPortal(postgres);

  /** Opens a room of an application as a new account with this role. */
  const enterAs = async (role: Role, appId: number, path: string, options = {}): Promise<Visit & { who: Member }> => {
    const who = await memberWith(portal.server, [{ appId, role }]);
    return { ...(await portal.visit(`/portal${path}`, { cookie: who.cookie, ...options })), who };
  };

  test('an owner invites a member with a link that is shown once; the list shows them after they accept', async () => {
    const { appId, clientId } = await portal.server.application();
    const { page, pageErrors, who } = await enterAs('owner', appId, `/applications/${clientId}/members`);
    const email = `${uniqueName('member')}@example.com`;
    await page.getByRole('list', { name: 'Members' }).getByText('you', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialogue = page.getByRole('dialog', { name: 'Invite a member' });
    await dialogue.getByLabel('E-mail address').fill(who.email);
    await dialogue.getByRole('button', { name: 'Create link' }).click();
    await dialogue.getByText('Already a member').waitFor();
    await dialogue.getByLabel('E-mail address').fill(email);
    // Escape asks before it loses what was typed; a second one closes the question.
    const question = page.getByRole('dialog', { name: 'Unsaved changes' });
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'hidden' });
    expect(await dialogue.getByLabel('E-mail address').inputValue()).toBe(email);
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Leave' }).click();
    await dialogue.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.keyboard.press('Escape');
    await dialogue.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialogue.getByLabel('E-mail address').fill(email);
    await dialogue.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Editor' }).click();
    await dialogue.getByText('Can change and publish the catalog').waitFor();
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/invitations')) sent += 1;
    });
    // Two clicks in the same tick, like a double click: a later second click would find the button gone.
    await dialogue.getByRole('button', { name: 'Create link' }).evaluate((button: HTMLButtonElement) => {
      button.click();
      button.click();
    });
    const link = (await dialogue.getByText(/#iki_/).textContent()) as string;
    expect(sent).toBe(1);
    await expectFocus(dialogue.getByRole('button', { name: 'Copy link' }));
    await expectHeld(page, dialogue);
    await expectAccessible(page);
    await dialogue.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('list', { name: 'Pending invitations' }).getByText(email).waitFor();

    const testUser = await portal.visit(link.slice(portal.server.url.length));
    await testUser.page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await testUser.page.getByRole('button', { name: 'Create account' }).click();
    await testUser.page.getByRole('button', { name: /^Account / }).waitFor();
    await page.reload();
    await page.getByRole('list', { name: 'Members' }).getByText(email).waitFor();
    expect(await page.getByRole('list', { name: 'Pending invitations' }).count()).toBe(0);
    expect([...pageErrors, ...testUser.pageErrors]).toEqual([]);
  });

  test('a translator invited for German cannot change other texts', async () => {
    const { application, path } = await editor(portal.server, {
      languages: [
        { name: 'English', tag: 'en', default: true },
        { name: 'Deutsch', tag: 'de' },
        { name: 'Español', tag: 'es' },
      ],
      groups: [{ name: 'look', keys: [{ name: 'dark', type: 'boolean' }] }],
    });
    const { page, pageErrors } = await enterAs('owner', application.appId, `${path}/members`);
    const email = `${uniqueName('translator')}@example.com`;
    await page.getByText('What each role can do').waitFor();
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialogue = page.getByRole('dialog');
    await dialogue.getByLabel('E-mail address').fill(email);
    // Unless another role is chosen, the invitation is for the one that can do least.
    const role = dialogue.getByRole('combobox', { name: 'Role' });
    expect(await role.inputValue()).toBe('Viewer');
    await role.click();
    await page.getByRole('option', { name: 'Translator' }).click();
    // What is typed must not be ignored: without a language, the invitation is for all.
    await dialogue.getByRole('combobox', { name: 'Languages' }).fill('deu');
    await page.getByRole('option', { name: 'Deutsch' }).waitFor();
    await page.keyboard.press('Enter');
    await dialogue.getByRole('button', { name: 'Create link' }).click();
    const link = (await dialogue.getByText(/#iki_/).textContent()) as string;
    await dialogue.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('list', { name: 'Pending invitations' }).getByText('Translator · Deutsch').waitFor();

    const testUser = await portal.visit(link.slice(portal.server.url.length));
    await testUser.page.getByText('Only in these languages: German.').waitFor();
    await testUser.page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD);
    await testUser.page.getByRole('button', { name: 'Create account' }).click();
    await testUser.page.getByRole('columnheader', { name: /Deutsch/ }).waitFor();
    expect(await testUser.page.getByRole('columnheader', { name: /Español/ }).count()).toBe(0);
    await page.reload();
    await page.getByRole('combobox', { name: `Languages of ${email}` }).waitFor();
    await expectAccessible(page);
    expect([...pageErrors, ...testUser.pageErrors]).toEqual([]);
  });

  test('revokes an invitation, changes a role with undo, and removes a member after confirmation', async () => {
    const { appId, clientId } = await portal.server.application();
    const member = await memberWith(portal.server, [{ appId, role: 'translator' }]);
    const { page, pageErrors, who } = await enterAs('owner', appId, `/applications/${clientId}/members`);
    const email = `${uniqueName('member')}@example.com`;
    await who.send('POST', `/applications/${clientId}/invitations`, { email, role: 'viewer' });
    await page.reload();
    await page.getByRole('button', { name: `Revoke invitation for ${email}` }).click();
    await page.getByText(`The link for ${email} has been revoked.`).waitFor();

    const roleOf = async () =>
      (await portal.server.service.storage.members.list(appId)).find((each) => each.email === member.email)?.role;
    await page.getByRole('combobox', { name: `Role of ${member.email}` }).click();
    await page.getByRole('option', { name: 'Editor' }).click();
    await expect.poll(roleOf).toBe('editor');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(roleOf).toBe('translator');
    await page.getByRole('combobox', { name: `Role of ${member.email}` }).click();
    await page.getByRole('option', { name: 'Owner' }).click();
    const promotion = page.getByRole('dialog', { name: `Make ${member.email} an owner` });
    await promotion.getByText('Owners can manage secrets').waitFor();
    await expectAccessible(page);
    expect(await roleOf()).toBe('translator');
    await promotion.getByRole('button', { name: 'Make owner' }).click();
    await expect.poll(roleOf).toBe('owner');
    await promotion.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: `Remove ${member.email}` }).click();
    await page.getByRole('dialog').getByText('loses access to this application').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`${member.email} is no longer a member.`).waitFor();
    expect(await roleOf()).toBeUndefined();
    expect((await member.send('GET', `/applications/${clientId}`)).json.code).toBe('9404');

    // The last owner cannot be removed.
    await page.getByRole('button', { name: `Remove ${who.email}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alert').filter({ hasText: 'An application needs at least one owner' }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  test.each(['viewer', 'translator', 'support'] as const)('is not available to the role %s', async (role) => {
    const { appId, clientId } = await portal.server.application();
    const { page, pageErrors } = await enterAs(role, appId, `/applications/${clientId}/members`);
    await page.getByText('Only owners can see the members.').waitFor();
    expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
    expect(pageErrors).toEqual([]);
  });

  test('fits a phone and is accessible', async () => {
    const { appId, clientId } = await portal.server.application();
    await memberWith(
      portal.server,
      [{ appId, role: 'viewer' }],
      `${'long-name-'.repeat(5)}${uniqueName()}@example.com`,
    );
    const options = { viewport: { width: 380, height: 760 } };
    const { page } = await enterAs('owner', appId, `/applications/${clientId}/members`, options);
    await page.getByRole('list', { name: 'Members' }).waitFor();
    await expectFits(page);
    await expectAccessible(page);
  });
});

type Member = Visitor & { accountId: string; email: string };
