import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { NewAccount, NewInvitation, Role, Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { account, invitation, link, recordOf, session } from './account-examples.ts';
import { createApplication, hash, MINUTE, NOW, tally, times } from './examples.ts';

describe.each(databases)('members on $kind', (database) => {
  let storage: Storage;
  let appId: number;
  beforeEach(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
    appId = await createApplication(storage);
  });
  afterEach(() => storage.close());

  const member = (email: string, given: Partial<NewAccount> = {}) => account(email, { role: 'member', ...given });
  const accept = ({ linkHash }: NewInvitation, made: NewAccount, now = NOW) =>
    storage.invitations.accept(linkHash, now, made, session());
  const join = async (email: string, role: Role, to = appId): Promise<NewAccount> => {
    const [given, made] = [invitation(to, email, { role }), member(email)];
    expect(await storage.invitations.create(given)).toBe('created');
    expect(await accept(given, made)).toBe('opened');
    return made;
  };

  test('an invitation creates its account once, with its role and a session', async () => {
    const given = invitation(appId, 'Grace@example.com');
    await storage.invitations.create(given);
    const { linkHash: _, emailKey: __, inviterId: ___, ...record } = given;
    expect(await storage.invitations.list(appId, NOW)).toEqual([record]);
    expect(await storage.invitations.findByLink(given.linkHash, NOW)).toEqual({
      invitation: record,
      hasAccount: false,
    });
    expect(await accept(given, member('eve@example.com'))).toBe('spent');
    const attempts = await tally(times(6, () => accept(given, member('Grace@example.com'))));
    expect(attempts.opened).toBe(1);
    expect(await storage.invitations.list(appId, NOW)).toEqual([]);
    const [grace] = await storage.members.list(appId);
    expect(grace).toEqual({
      accountId: expect.any(String),
      email: 'Grace@example.com',
      role: 'translator',
      languages: null,
      createdAt: NOW,
    });
    expect(await storage.sessions.list(grace?.accountId ?? '', NOW)).toHaveLength(1);
    expect(await storage.accounts.list()).toHaveLength(1);
  });

  test('an application has only so many invitations, but each can be replaced', async () => {
    const mine = await createApplication(storage);
    for (const email of ['one@example.com', 'two@example.com', 'two@example.com']) {
      expect(await storage.invitations.create(invitation(mine, email), 2)).toBe('created');
    }
    expect(await storage.invitations.create(invitation(mine, 'three@example.com'), 2)).toBe('too-many');
    expect(await storage.invitations.list(mine, NOW)).toHaveLength(2);
  });

  test('it ends by expiry, revocation, and replacement', async () => {
    const [first, second] = [invitation(appId, 'a@example.com'), invitation(appId, 'A@example.com', { role: 'owner' })];
    await storage.invitations.create(first);
    await storage.invitations.create(second);
    expect(await storage.invitations.list(appId, NOW)).toMatchObject([{ email: 'A@example.com', role: 'owner' }]);
    expect(await accept(first, member('a@example.com'))).toBe('spent');
    expect(await storage.invitations.findByLink(second.linkHash, second.expiresAt)).toBeUndefined();
    expect(await accept(second, member('a@example.com'), second.expiresAt)).toBe('spent');
    expect(await storage.invitations.list(appId, second.expiresAt)).toEqual([]);
    const other = await createApplication(storage);
    expect(await storage.invitations.revoke(other, second.invitationId)).toBe('unknown');
    expect(await storage.invitations.revoke(appId, second.invitationId)).toBe('revoked');
    expect(await storage.invitations.revoke(appId, second.invitationId)).toBe('unknown');
    expect(await accept(second, member('a@example.com'))).toBe('spent');
    expect(await storage.invitations.create(invitation(other + 1, 'a@example.com'))).toBe('application-gone');
    await storage.invitations.create(invitation(appId, 'b@example.com', { expiresAt: NOW + 1 }));
    await storage.purgeExpired(NOW);
    expect(await storage.purgeExpired(NOW + 1)).toBe(1);
  });

  test('an existing account joins with itself and no other; an existing role stays', async () => {
    const [ada, eve] = [member('ada@example.com'), member('eve@example.com')];
    for (const each of [ada, eve]) await storage.accounts.createWithLink(each, link());
    const given = invitation(appId, 'ada@example.com', { role: 'editor' });
    await storage.invitations.create(given);
    expect((await storage.invitations.findByLink(given.linkHash, NOW))?.hasAccount).toBe(true);
    expect(await accept(given, member('ada@example.com'))).toBe('account-there');
    expect(await storage.invitations.join(given.linkHash, NOW, eve.accountId)).toBe('other-address');
    expect(await storage.invitations.join(given.linkHash, given.expiresAt, ada.accountId)).toBe('spent');
    const joined = times(6, () => storage.invitations.join(given.linkHash, NOW, ada.accountId));
    const outcomes = await Promise.all(joined);
    expect(outcomes.filter((each) => each !== 'spent')).toEqual([{ appId, role: 'editor', languages: null }]);
    expect(await storage.invitations.create(invitation(appId, 'ADA@example.com'))).toBe('member');
  });

  test('sessions and tokens see role changes immediately', async () => {
    const made = await join('ada@example.com', 'viewer');
    const other = await createApplication(storage);
    const given = invitation(other, 'ada@example.com', { role: 'owner' });
    await storage.invitations.create(given);
    await storage.invitations.join(given.linkHash, NOW, made.accountId);
    const memberships = [
      { appId, role: 'viewer', languages: null },
      { appId: other, role: 'owner', languages: null },
    ].sort((a, b) => a.appId - b.appId);
    const [opened] = await storage.sessions.list(made.accountId, NOW);
    expect(await storage.sessions.findByHash(opened?.sessionHash ?? '', NOW)).toMatchObject({ memberships });
    const token = {
      tokenId: randomUUID(),
      tokenHash: hash(),
      accountId: made.accountId,
      name: 'deploy',
      appIds: null,
      access: 'own' as const,
      createdAt: NOW,
      expiresAt: NOW + MINUTE,
      lastUsedAt: null,
    };
    await storage.manageTokens.create(token);
    const owner = { account: recordOf(made), memberships };
    expect(await storage.manageTokens.findByHash(token.tokenHash, NOW)).toEqual({ token, owner });
    await storage.members.remove(appId, made.accountId);
    const left = [{ appId: other, role: 'owner', languages: null }];
    expect((await storage.manageTokens.findByHash(token.tokenHash, NOW))?.owner?.memberships).toEqual(left);
    await storage.applications.delete(other);
    expect((await storage.manageTokens.findByHash(token.tokenHash, NOW))?.owner?.memberships).toEqual([]);
  });

  test("a translator's languages come with the invitation and change with the role", async () => {
    const given = invitation(appId, 'grace@example.com', { languages: ['de', 'es'] });
    await storage.invitations.create(given);
    expect(await storage.invitations.list(appId, NOW)).toMatchObject([{ languages: ['de', 'es'] }]);
    const grace = member('grace@example.com');
    const opened = session();
    expect(await storage.invitations.accept(given.linkHash, NOW, grace, opened)).toBe('opened');
    const limits = async () => (await storage.sessions.findByHash(opened.sessionHash, NOW))?.memberships[0]?.languages;
    expect(await limits()).toEqual(['de', 'es']);
    expect(await storage.members.changeRole(appId, grace.accountId, 'translator', ['hu'])).toBe('changed');
    expect(await storage.members.list(appId)).toMatchObject([{ languages: ['hu'] }]);
    await storage.members.changeRole(appId, grace.accountId, 'editor', null);
    expect(await limits()).toBeNull();
  });

  test('roles change and members are removed, only in this application', async () => {
    const grace = await join('grace@example.com', 'translator');
    const other = await createApplication(storage);
    expect(await storage.members.changeRole(other, grace.accountId, 'owner', null)).toBe('unknown');
    expect(await storage.members.remove(other, grace.accountId)).toBe('unknown');
    expect(await storage.members.changeRole(appId, grace.accountId, 'editor', null)).toBe('changed');
    expect(await storage.members.list(appId)).toMatchObject([{ role: 'editor' }]);
    expect(await storage.members.remove(appId, grace.accountId)).toBe('removed');
    expect(await storage.members.remove(appId, grace.accountId)).toBe('unknown');
    expect(await storage.accounts.list()).toHaveLength(1);
  });

  test('the last owner stays, unless there is an administrator; of two that leave concurrently one stays', async () => {
    const [ada, grace] = [await join('ada@example.com', 'owner'), await join('grace@example.com', 'owner')];
    const going = [
      () => storage.members.remove(appId, ada.accountId),
      () => storage.members.changeRole(appId, grace.accountId, 'viewer', null),
    ];
    const outcomes = await Promise.all(going.map((go) => go()));
    expect(outcomes.filter((each) => each === 'last-owner')).toHaveLength(1);
    const owners = (await storage.members.list(appId)).filter(({ role }) => role === 'owner');
    expect(owners).toHaveLength(1);
    const accountId = owners[0]?.accountId as string;
    expect(await storage.members.changeRole(appId, accountId, 'editor', null)).toBe('last-owner');
    expect(await storage.members.changeRole(appId, accountId, 'owner', null)).toBe('changed');
    expect(await storage.members.remove(appId, accountId)).toBe('last-owner');
    await storage.accounts.createWithLink(account('root@example.com'), link());
    expect(await storage.members.remove(appId, accountId)).toBe('removed');
  });

  test("an invitation ends with its author's permission, and one without permission cannot invite", async () => {
    const root = account('root@example.com');
    await storage.accounts.createWithLink(root, link());
    const other = await createApplication(storage);
    const open = async (inviter: NewAccount | null, to = appId) => {
      const made = invitation(to, `${randomUUID()}@example.com`, { inviterId: inviter?.accountId ?? null });
      expect(await storage.invitations.create(made)).toBe('created');
      return made.email;
    };
    const opened = async (of = appId) => (await storage.invitations.list(of, NOW)).map(({ email }) => email);
    const ways: ((made: NewAccount) => Promise<unknown>)[] = [
      ({ accountId }) => storage.members.changeRole(appId, accountId, 'editor', null),
      ({ accountId }) => storage.members.remove(appId, accountId),
      ({ emailKey }) => storage.accounts.reset(emailKey, { password: true, totp: false }),
      ({ emailKey }) => storage.accounts.delete(emailKey),
    ];
    for (const way of ways) {
      const owner = await join(`${randomUUID()}@example.com`, 'owner');
      const email = await open(owner);
      await storage.members.changeRole(appId, owner.accountId, 'owner', null);
      expect(await opened()).toContain(email);
      await way(owner);
      expect(await opened()).not.toContain(email);
    }
    const [grace, editor] = [await join('grace@example.com', 'owner'), await join('e@example.com', 'editor')];
    const invited = grace.accountId;
    const elsewhere = invitation(other, 'grace@example.com', { role: 'owner' });
    await storage.invitations.create(elsewhere);
    await storage.invitations.join(elsewhere.linkHash, NOW, invited);
    const kept = [await open(root), await open(null)];
    const there = await open(grace, other);
    await storage.members.remove(appId, invited);
    expect((await opened()).sort()).toEqual(kept.sort());
    expect(await opened(other)).toEqual([there]);
    for (const { accountId } of [grace, editor]) {
      const refused = invitation(appId, 'x@example.com', { inviterId: accountId });
      expect(await storage.invitations.create(refused)).toBe('not-owner');
    }
    const ofNoOne = invitation(appId, 'x@example.com', { inviterId: randomUUID() });
    expect(await storage.invitations.create(ofNoOne)).toBe('credential-gone');
    // In either order, no invitation of the removed owner is left.
    for (const _ of times(8, String)) {
      const owner = await join(`${randomUUID()}@example.com`, 'owner');
      const made = invitation(appId, `${randomUUID()}@example.com`, { inviterId: owner.accountId });
      await Promise.all([storage.invitations.create(made), storage.members.remove(appId, owner.accountId)]);
      expect(await opened()).not.toContain(made.email);
    }
  });

  test('an administrator who loses the role keeps invitations only to owned applications', async () => {
    await storage.accounts.createWithLink(account('root@example.com'), link());
    const owned = await createApplication(storage);
    const opened = async (of: number) => (await storage.invitations.list(of, NOW)).map(({ email }) => email);
    const ada = await join('ada@example.com', 'owner', owned);
    await storage.accounts.setRole(ada.accountId, 'administrator');
    const invite = (to: number, email: string) =>
      storage.invitations.create(invitation(to, email, { inviterId: ada.accountId }));
    for (const to of [appId, owned]) expect(await invite(to, 'grace@example.com')).toBe('created');
    expect(await storage.accounts.setRole(ada.accountId, 'member')).toBe('changed');
    expect([await opened(appId), await opened(owned)]).toEqual([[], ['grace@example.com']]);
    // In either order, nothing of theirs is left.
    for (const round of times(8, String)) {
      await storage.accounts.setRole(ada.accountId, 'administrator');
      await Promise.all([invite(appId, `${round}@example.com`), storage.accounts.setRole(ada.accountId, 'member')]);
      expect(await opened(appId)).toEqual([]);
    }
  });

  test('an administrator who loses the role and an ownership at once keeps no invitation', async () => {
    await storage.accounts.createWithLink(account('root@example.com'), link());
    for (const round of times(8, String)) {
      const owned = await createApplication(storage);
      const ada = await join(`ada${round}@example.com`, 'owner', owned);
      await storage.accounts.setRole(ada.accountId, 'administrator');
      await storage.invitations.create(invitation(owned, 'grace@example.com', { inviterId: ada.accountId }));
      await Promise.all([
        round === '0'
          ? storage.members.changeRole(owned, ada.accountId, 'editor', null)
          : storage.members.remove(owned, ada.accountId),
        storage.accounts.setRole(ada.accountId, 'member'),
      ]);
      expect(await storage.invitations.list(owned, NOW)).toEqual([]);
    }
  });
});
