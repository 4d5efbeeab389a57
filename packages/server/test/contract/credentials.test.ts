import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Credential, Factor, NewAccount, Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { account, invitation, link, manageToken, session } from './account-examples.ts';
import { createApplication, hash, NOW, tally, times } from './examples.ts';

const MISSING = randomUUID();
const email = (): string => `${randomUUID()}@example.com`;

describe.each(databases)("an account's credentials on $kind", (database) => {
  let storage: Storage;
  let ada: NewAccount;
  beforeEach(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
    ada = account('Ada@example.com', { passwordHash: 'one' });
    await storage.accounts.createWithLink(ada, link());
  });
  afterEach(() => storage.close());

  const openSession = async (): Promise<string> => {
    const [given, opened] = [link(), session()];
    await storage.accounts.addLink(ada.accountId, given);
    await storage.sessions.openByLink(given.linkHash, NOW, opened);
    return opened.sessionId;
  };
  const turnOn = async (step = 100, recoveryHashes: string[] = []) => {
    expect(await storage.secondFactors.begin(ada.accountId, 'sealed')).toBe('begun');
    const confirmed = { pendingTotp: 'sealed', step, recoveryHashes };
    expect(await storage.secondFactors.confirm(ada.accountId, confirmed)).toBe('on');
  };
  const open = (factor?: Factor, passwordHash = 'one') =>
    storage.sessions.openByPassword(ada.accountId, passwordHash, session({ authMethod: 'password' }), factor);

  test('a password opens sessions while it is current', async () => {
    const found = await storage.accounts.findByEmail('ada@example.com');
    expect(found).toMatchObject({ account: { accountId: ada.accountId, hasPassword: true, hasTotp: false } });
    expect(found?.credentials).toEqual({ passwordHash: 'one', sealedTotp: null, pendingTotp: null });
    expect(await storage.accounts.findByEmail('eve@example.com')).toBeUndefined();
    expect(await open()).toBe('opened');
    expect(await open(undefined, 'other')).toBe('spent');
    const opened = await storage.sessions.list(ada.accountId, NOW);
    expect(opened.map(({ authMethod }) => authMethod)).toEqual(['password']);
  });

  test("a new one ends the account's other sessions and links", async () => {
    const grace = account('grace@example.com', { passwordHash: 'hers' });
    await storage.accounts.createWithLink(grace, link());
    await storage.sessions.openByPassword(grace.accountId, 'hers', session());
    const pending = link();
    await storage.accounts.createWithLink(ada, pending);
    const kept = session();
    await storage.sessions.openByPassword(ada.accountId, 'one', kept);
    await open();
    expect(await storage.accounts.setPassword(ada.accountId, 'two', kept.sessionId)).toBe('set');
    const left = await storage.sessions.list(ada.accountId, NOW);
    expect(left.map(({ sessionId }) => sessionId)).toEqual([kept.sessionId]);
    expect(await storage.accounts.findByLink(pending.linkHash, NOW)).toBeUndefined();
    expect(await storage.sessions.list(grace.accountId, NOW)).toHaveLength(1);
    expect(await open()).toBe('spent');
    expect(await open(undefined, 'two')).toBe('opened');
    expect(await storage.accounts.setPassword(MISSING, 'x', kept.sessionId)).toBe('unknown');
  });

  test('a session opened by a link during a new password or a reset ends with the others', async () => {
    const own = await openSession();
    const ways = [
      { end: () => storage.accounts.setPassword(ada.accountId, 'two', own), kept: [own] },
      { end: () => storage.accounts.reset('ada@example.com', { password: true, totp: false }), kept: [] },
    ];
    for (const { end, kept } of ways) {
      const pending = link();
      await storage.accounts.createWithLink(ada, pending);
      await end();
      expect(await storage.accounts.findByLink(pending.linkHash, NOW)).toBeUndefined();
      for (const _ of times(20, String)) {
        const given = link();
        await storage.accounts.createWithLink(ada, given);
        await Promise.all([storage.sessions.openByLink(given.linkHash, NOW, session()), end()]);
        const left = await storage.sessions.list(ada.accountId, NOW);
        expect(left.map(({ sessionId }) => sessionId)).toEqual(kept);
      }
    }
  });

  test('a session or token that was ended by a new password or a reset leaves nothing behind', async () => {
    const appId = await createApplication(storage);
    const create = (credential: Credential) =>
      storage.manageTokens.create(manageToken({ accountId: ada.accountId }), 1_000, credential);
    const invite = (credential: Credential) =>
      storage.invitations.create(invitation(appId, email(), { inviterId: ada.accountId, credential }));
    const reset = () => storage.accounts.reset('ada@example.com', { password: true, totp: false });
    const first = manageToken({ accountId: ada.accountId });
    await storage.manageTokens.create(first);
    const [sessionId, other] = [await openSession(), await openSession()];
    for (const credential of [{ sessionId }, { tokenId: first.tokenId }]) {
      expect([await create(credential), await invite(credential)]).toEqual(['created', 'created']);
    }
    expect(await storage.accounts.setPassword(ada.accountId, 'two', sessionId)).toBe('set');
    expect(await storage.accounts.setPassword(ada.accountId, 'three', other)).toBe('unknown');
    const gone = ['credential-gone', 'credential-gone'];
    expect([await create({ sessionId: other }), await invite({ sessionId: other })]).toEqual(gone);
    expect((await storage.accounts.credentials(ada.accountId))?.passwordHash).toBe('two');
    await reset();
    expect([await create({ sessionId }), await invite({ tokenId: first.tokenId })]).toEqual(gone);
    // In either order, nothing is left.
    for (const act of [
      create,
      invite,
      ({ sessionId }: { sessionId: string }) => storage.accounts.setPassword(ada.accountId, 'two', sessionId),
    ]) {
      for (const _ of times(12, String)) {
        const session = { sessionId: await openSession() };
        await Promise.all([act(session), reset()]);
        expect(await storage.manageTokens.list(ada.accountId)).toEqual([]);
        expect(await storage.invitations.list(appId, NOW)).toEqual([]);
        expect((await storage.accounts.credentials(ada.accountId))?.passwordHash).toBeNull();
      }
    }
  });

  test('a secret is active once confirmed, and only the last one begun', async () => {
    expect(await storage.secondFactors.begin(MISSING, 'x')).toBe('unknown');
    await storage.secondFactors.begin(ada.accountId, 'first');
    await storage.secondFactors.begin(ada.accountId, 'second');
    const confirm = (pendingTotp: string) =>
      storage.secondFactors.confirm(ada.accountId, { pendingTotp, step: 1, recoveryHashes: [hash(), hash()] });
    expect(await confirm('first')).toBe('changed');
    expect((await storage.accounts.findByEmail('ada@example.com'))?.account.hasTotp).toBe(false);
    expect(await confirm('second')).toBe('on');
    expect(await confirm('second')).toBe('changed');
    expect(await storage.accounts.credentials(ada.accountId)).toMatchObject({
      sealedTotp: 'second',
      pendingTotp: null,
    });
    expect(await storage.secondFactors.begin(ada.accountId, 'third')).toBe('on');
    expect(await storage.accounts.credentials(ada.accountId)).toMatchObject({ sealedTotp: 'second' });
    expect(await storage.secondFactors.countRecoveryCodes(ada.accountId)).toBe(2);
    expect(await storage.secondFactors.end(ada.accountId)).toBe('ended');
    expect(await storage.secondFactors.end(ada.accountId)).toBe('off');
    expect(await storage.secondFactors.countRecoveryCodes(ada.accountId)).toBe(0);
    expect(await storage.secondFactors.replaceRecoveryCodes(ada.accountId, [hash()])).toBe('off');
  });

  test('a code works once, and none before it; of concurrent uses one succeeds', async () => {
    await turnOn(100);
    expect(await open({ step: 100 })).toBe('spent');
    expect(await tally(times(10, () => open({ step: 102 })))).toEqual({ opened: 1, spent: 9 });
    expect(await open({ step: 101 })).toBe('spent');
    expect(await open({ step: 103 })).toBe('opened');
    expect(await storage.sessions.list(ada.accountId, NOW)).toHaveLength(2);
  });

  test('so does a recovery code, and new ones replace the old', async () => {
    const [one, two, other] = [hash(), hash(), hash()];
    await turnOn(100, [one, two]);
    expect(await open({ recoveryHash: other })).toBe('spent');
    expect(await tally(times(10, () => open({ recoveryHash: one })))).toEqual({ opened: 1, spent: 9 });
    expect(await storage.secondFactors.countRecoveryCodes(ada.accountId)).toBe(1);
    expect(await storage.secondFactors.replaceRecoveryCodes(ada.accountId, [other])).toBe('replaced');
    expect(await open({ recoveryHash: two })).toBe('spent');
    expect(await open({ recoveryHash: other })).toBe('opened');
  });

  test('a link with an invalid code stays valid', async () => {
    await turnOn(100);
    const given = link();
    await storage.accounts.createWithLink(ada, given);
    const by = (factor: Factor) => storage.sessions.openByLink(given.linkHash, NOW, session(), factor);
    expect(await by({ step: 100 })).toBe('spent');
    expect(await by({ recoveryHash: hash() })).toBe('spent');
    expect(await storage.accounts.findByLink(given.linkHash, NOW)).toBeDefined();
    expect(await by({ step: 101 })).toBe('opened');
    expect(await by({ step: 102 })).toBe('spent');
  });

  test('a reset removes what it names, and ends the sessions', async () => {
    await turnOn(100, [hash()]);
    await open({ step: 101 });
    expect(await storage.accounts.reset('eve@example.com', { password: true, totp: true })).toBe('unknown');
    expect(await storage.accounts.reset('ada@example.com', { password: false, totp: true })).toBe('reset');
    expect(await storage.sessions.list(ada.accountId, NOW)).toEqual([]);
    expect(await storage.accounts.credentials(ada.accountId)).toMatchObject({ passwordHash: 'one', sealedTotp: null });
    expect(await storage.secondFactors.countRecoveryCodes(ada.accountId)).toBe(0);
    const token = { name: 'x', accountId: ada.accountId, appIds: null, access: 'own', createdAt: NOW } as const;
    const record = { ...token, tokenId: MISSING, tokenHash: hash(), expiresAt: NOW + 1000, lastUsedAt: null };
    expect(await storage.manageTokens.create(record)).toBe('created');
    expect(await storage.accounts.reset('ada@example.com', { password: true, totp: false })).toBe('reset');
    expect(await storage.manageTokens.list(ada.accountId)).toEqual([]);
    expect(await storage.accounts.credentials(ada.accountId)).toMatchObject({ passwordHash: null });
  });

  test('preferences are stored as given', async () => {
    expect(await storage.accounts.setPreferences(ada.accountId, '{"theme":"dark"}')).toBe('set');
    expect((await storage.accounts.findByEmail('ada@example.com'))?.account.preferences).toBe('{"theme":"dark"}');
    expect(await storage.accounts.setPreferences(MISSING, '{}')).toBe('unknown');
  });

  test('attempts are allowed up to the burst, then one by one', async () => {
    const allowance = { subjectHash: hash(), everyMs: 1000, burst: 3 };
    const admit = (at: number) => storage.attempts.admit(allowance, at);
    const all = await Promise.all(times(10, () => admit(NOW)));
    expect(all.filter(Boolean)).toHaveLength(3);
    expect(await admit(NOW + 899)).toBe(false);
    expect(await admit(NOW + 1000)).toBe(true);
    expect(await admit(NOW + 1000)).toBe(false);
    expect(await storage.attempts.admit({ ...allowance, subjectHash: hash() }, NOW)).toBe(true);
    await storage.attempts.forget(allowance.subjectHash);
    expect(await admit(NOW + 1000)).toBe(true);
    expect(await storage.purgeExpired(NOW + 60_000)).toBe(2);
  });

  test('an attempt that was overtaken, or comes from a replica whose clock is behind, costs no one an attempt', async () => {
    const allowance = { subjectHash: hash(), everyMs: 1000, burst: 3 };
    const outcomes: boolean[] = [];
    for (const behind of [0, 20, 40, 60]) outcomes.push(await storage.attempts.admit(allowance, NOW - behind));
    expect(outcomes).toEqual([true, true, true, false]);
  });

  test('an attempt made while the clock was 30 days ahead delays the next by one step, not by 30 days', async () => {
    const allowance = { subjectHash: hash(), everyMs: 1000, burst: 3 };
    expect(await storage.attempts.admit(allowance, NOW + 30 * 86_400_000)).toBe(true);
    expect(await storage.attempts.admit(allowance, NOW)).toBe(false);
    expect(await storage.attempts.admit(allowance, NOW + 900)).toBe(false);
    expect(await storage.attempts.admit(allowance, NOW + 1001)).toBe(true);
    expect(await storage.attempts.admit(allowance, NOW + 1001)).toBe(false);
  });
});
