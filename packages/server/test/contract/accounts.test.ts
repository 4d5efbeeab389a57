import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { NewAccount, NewSession, Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { account, link, recordOf, session } from './account-examples.ts';
import { hash, MINUTE, NOW, tally, times } from './examples.ts';

describe.each(databases)('accounts on $kind', (database) => {
  let storage: Storage;
  beforeEach(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  afterEach(() => storage.close());

  const signedIn = async (made: NewAccount, given: Partial<NewSession> = {}): Promise<NewSession> => {
    const [given1, opened] = [link(), session(given)];
    await storage.accounts.createWithLink(made, given1);
    expect(await storage.sessions.openByLink(given1.linkHash, NOW, opened)).toBe('opened');
    return opened;
  };

  test('an address has one account, regardless of case; a new link ends the previous one', async () => {
    const [first, again] = [account(), account('ADA@EXAMPLE.COM', { createdAt: NOW + 1 })];
    const [old, fresh] = [link(), link()];
    expect(await storage.accounts.createWithLink(first, old)).toEqual({
      outcome: 'created',
      account: recordOf(first),
    });
    expect(await storage.accounts.createWithLink(again, fresh)).toEqual({ outcome: 'there', account: recordOf(first) });
    expect(await storage.accounts.list()).toEqual([recordOf(first)]);
    expect(await storage.sessions.openByLink(old.linkHash, NOW, session())).toBe('spent');
    expect((await storage.accounts.findByLink(fresh.linkHash, NOW))?.account).toEqual(recordOf(first));
    expect(await storage.sessions.openByLink(fresh.linkHash, NOW, session())).toBe('opened');
  });

  test('of many concurrent uses of a link, one succeeds', async () => {
    const [made, given] = [account(), link()];
    await storage.accounts.createWithLink(made, given);
    const attempts = times(20, () => storage.sessions.openByLink(given.linkHash, NOW, session()));
    expect(await tally(attempts)).toEqual({ opened: 1, spent: 19 });
    expect(await storage.sessions.list(made.accountId, NOW)).toHaveLength(1);
  });

  test('an account keeps its 100 sessions used last', async () => {
    const made = account();
    const oldest = await signedIn(made, { lastSeenAt: NOW - 2 });
    const older = await signedIn(made, { lastSeenAt: NOW - 1 });
    const other = await signedIn(account('other@example.com'), { lastSeenAt: NOW - 3 });
    for (let count = 0; count < 99; count++) await signedIn(made);
    expect(await storage.sessions.list(made.accountId, NOW)).toHaveLength(100);
    expect(await storage.sessions.findByHash(oldest.sessionHash, NOW)).toBeUndefined();
    expect(await storage.sessions.findByHash(older.sessionHash, NOW)).toBeDefined();
    expect(await storage.sessions.findByHash(other.sessionHash, NOW)).toBeDefined();
  });

  test('a link expires', async () => {
    const given = link();
    await storage.accounts.createWithLink(account(), given);
    expect(await storage.sessions.openByLink(given.linkHash, given.expiresAt, session())).toBe('spent');
    expect(await storage.sessions.openByLink(given.linkHash, given.expiresAt - 1, session())).toBe('opened');
  });

  test('another sign-in link leaves the earlier ones valid, and needs an account', async () => {
    const [made, first, second] = [account(), link(), link()];
    await storage.accounts.createWithLink(made, first);
    expect(await storage.accounts.addLink(made.accountId, second)).toBe('added');
    for (const { linkHash } of [first, second]) {
      expect(await storage.sessions.openByLink(linkHash, NOW, session())).toBe('opened');
    }
    expect(await storage.accounts.addLink(randomUUID(), link())).toBe('unknown');
  });

  test('an identity finds its account, is linked by its address, or gets a new one', async () => {
    const { accounts, sessions } = storage;
    const made = account(`${randomUUID()}@example.com`, { role: 'member' });
    const [subject, other] = [`issuer ${randomUUID()}`, `issuer ${randomUUID()}`];
    expect(await accounts.identify({ subject, emailKey: made.emailKey }, null)).toBe('unknown');
    const identify = () =>
      accounts.identify({ subject, emailKey: made.emailKey }, account(made.email, { role: 'member' }));
    // Concurrent sign-ins all get the same account.
    const outcomes = await Promise.all(times(8, identify));
    const names = outcomes.map((each) => (typeof each === 'object' ? each.outcome : each)).sort();
    expect(names).toEqual(['created', ...times(7, () => 'found')]);
    const found = await accounts.identify({ subject, emailKey: null }, null);
    if (typeof found !== 'object') throw new Error(found);
    expect(found).toMatchObject({ outcome: 'found', account: { email: made.email, hasPassword: false } });
    expect(await accounts.identify({ subject: other, emailKey: made.emailKey }, made)).toBe('other-identity');
    const { accountId } = found.account;
    const opened = session();
    expect(await sessions.openByIdentity(accountId, other, opened)).toBe('unknown');
    expect(await sessions.openByIdentity(accountId, subject, opened)).toBe('opened');
    expect((await sessions.findByHash(opened.sessionHash, NOW))?.account.accountId).toBe(accountId);

    const old = account(`${randomUUID()}@example.com`, { role: 'member' });
    await accounts.createWithLink(old, link());
    expect(await accounts.identify({ subject: other, emailKey: old.emailKey }, made)).toMatchObject({
      outcome: 'linked',
      account: { accountId: old.accountId },
    });
  });

  test('an administrator can be added and removed, but not the last one', async () => {
    const { accounts } = storage;
    for (const { email } of await accounts.list()) await accounts.delete(email);
    const [first, second] = [account(`${randomUUID()}@example.com`), account(`${randomUUID()}@example.com`)];
    for (const each of [first, second]) await accounts.createWithLink({ ...each, role: 'administrator' }, link());
    expect(await accounts.setRole(first.accountId, 'administrator')).toBe('same');
    const both = [first, second].map(({ accountId }) => accounts.setRole(accountId, 'member'));
    expect((await Promise.all(both)).sort()).toEqual(['changed', 'last-administrator']);
    expect(await accounts.setRole(randomUUID(), 'member')).toBe('unknown');
  });

  test('a set-up link creates only the first account', async () => {
    const links = times(4, () => link());
    for (const each of links) expect(await storage.accounts.addSetUpLink(each)).toBe('added');
    // A set-up link cannot be used as a sign-in link.
    expect(await storage.sessions.openByLink(links[0]?.linkHash ?? '', NOW, session())).toBe('spent');
    const late = { ...account(), accountId: randomUUID() };
    expect(await storage.sessions.openBySetUp(hash(), NOW, late, session())).toBe('spent');
    expect(await storage.sessions.openBySetUp(links[0]?.linkHash ?? '', NOW + 60 * MINUTE, late, session())).toBe(
      'spent',
    );
    const attempts = links.flatMap(({ linkHash }, index) =>
      times(3, () => storage.sessions.openBySetUp(linkHash, NOW, account(`a${index}@example.com`), session())),
    );
    expect(await tally(attempts)).toEqual({ opened: 1, spent: 11 });
    const [first, ...more] = await storage.accounts.list();
    expect(more).toEqual([]);
    expect(await storage.sessions.list(first?.accountId ?? '', NOW)).toHaveLength(1);
    expect(await storage.accounts.addSetUpLink(link())).toBe('account-there');
  });

  test('an account created by the command line ends the set-up links', async () => {
    const given = link();
    await storage.accounts.addSetUpLink(given);
    await storage.accounts.createWithLink(account(), link());
    expect(await storage.sessions.openBySetUp(given.linkHash, NOW, account('eve@example.com'), session())).toBe(
      'spent',
    );
    await storage.accounts.delete('ada@example.com');
    expect(await storage.sessions.openBySetUp(given.linkHash, NOW, account('eve@example.com'), session())).toBe(
      'spent',
    );
  });

  test('a session is found by its hash until it expires or its owner ends it', async () => {
    const made = account();
    const opened = await signedIn(made);
    const whole = { ...opened, accountId: made.accountId };
    expect(await storage.sessions.findByHash(opened.sessionHash, NOW)).toEqual({
      session: whole,
      account: recordOf(made),
      memberships: [],
    });
    expect(await storage.sessions.findByHash(opened.sessionHash, opened.endsAt)).toBeUndefined();
    expect(await storage.sessions.list(made.accountId, opened.endsAt)).toEqual([]);
    expect(await storage.sessions.end(randomUUID(), opened.sessionId)).toBe('unknown');
    expect(await storage.sessions.end(made.accountId, opened.sessionId)).toBe('ended');
    expect(await storage.sessions.end(made.accountId, opened.sessionId)).toBe('unknown');
    expect(await storage.sessions.findByHash(opened.sessionHash, NOW)).toBeUndefined();
  });

  test('use is recorded, but not too often, and sessions are sorted by it', async () => {
    const made = account();
    const [first, second] = [await signedIn(made), await signedIn(made)];
    const touch = (at: number) =>
      storage.sessions.touch(first.sessionId, { at, endsAt: at + 90 * MINUTE, unlessSince: at - MINUTE });
    await touch(NOW + 1000);
    expect((await storage.sessions.findByHash(first.sessionHash, NOW))?.session.lastSeenAt).toBe(NOW);
    await touch(NOW + MINUTE);
    expect((await storage.sessions.findByHash(first.sessionHash, NOW))?.session).toMatchObject({
      lastSeenAt: NOW + MINUTE,
      endsAt: NOW + 91 * MINUTE,
    });
    const listed = await storage.sessions.list(made.accountId, NOW);
    expect(listed.map(({ sessionId }) => sessionId)).toEqual([first.sessionId, second.sessionId]);
  });

  test('deleting an account deletes its sessions, links and tokens, and no others', async () => {
    const [ada, grace] = [account(), account('grace@example.com')];
    const [lost, kept] = [await signedIn(ada), await signedIn(grace)];
    const token = (accountId: string | null) => ({
      tokenId: randomUUID(),
      tokenHash: hash(),
      accountId,
      name: 'deploy',
      appIds: null,
      access: 'write' as const,
      createdAt: NOW,
      expiresAt: NOW + MINUTE,
      lastUsedAt: null,
    });
    const [hers, other, operators] = [token(ada.accountId), token(grace.accountId), token(null)];
    for (const each of [hers, other, operators]) expect(await storage.manageTokens.create(each)).toBe('created');
    expect(await storage.manageTokens.list(grace.accountId)).toEqual([other]);
    expect(await storage.manageTokens.revoke(other.tokenId, ada.accountId)).toBe('unknown');
    const pending = link();
    await storage.accounts.createWithLink(ada, pending);

    expect(await storage.accounts.delete('ada@example.com')).toBe('deleted');
    expect(await storage.accounts.delete('ada@example.com')).toBe('unknown');
    expect(await storage.sessions.findByHash(lost.sessionHash, NOW)).toBeUndefined();
    expect(await storage.sessions.openByLink(pending.linkHash, NOW, session())).toBe('spent');
    expect(await storage.sessions.findByHash(kept.sessionHash, NOW)).toBeDefined();
    const left = (await storage.manageTokens.list()).map(({ tokenId }) => tokenId);
    expect(left.sort()).toEqual([other.tokenId, operators.tokenId].sort());
    expect(await storage.manageTokens.create(token(ada.accountId))).toBe('credential-gone');
    expect(await storage.manageTokens.revoke(other.tokenId, grace.accountId)).toBe('revoked');
  });

  test('expired rows are purged', async () => {
    const made = account();
    const old = await signedIn(made, { endsAt: NOW + 1 });
    const good = await signedIn(made);
    await storage.accounts.createWithLink(made, link({ expiresAt: NOW + 1 }));
    expect(await storage.purgeExpired(NOW)).toBe(0);
    expect(await storage.purgeExpired(NOW + 1)).toBe(2);
    expect(await storage.sessions.findByHash(old.sessionHash, NOW)).toBeUndefined();
    expect(await storage.sessions.findByHash(good.sessionHash, NOW)).toBeDefined();
  });
});
