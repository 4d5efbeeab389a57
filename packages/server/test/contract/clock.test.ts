import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Clock, ClockWrong } from '../../src/domain/clock.ts';
import { createKeyring } from '../../src/domain/keyring.ts';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { type KeyClock, SigningKeys } from '../../src/tokens/keys.ts';
import { databases } from '../databases.ts';
import { SECRET } from '../http/start.ts';
import { accessToken, createApplication, createUser, MINUTE, signingKey } from './examples.ts';

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe.each(databases)('clocks on $kind', (database) => {
  let storage: Storage;
  let appId: number;
  let clock: Clock;
  /** How far this machine's wall clock is ahead, and how far its monotonic clock is ahead of the test's. */
  let machine: { aheadMs: number; ranMs: number };
  beforeEach(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
    appId = await createApplication(storage);
    machine = { aheadMs: 0, ranMs: 0 };
    clock = newClock(storage);
  });
  afterEach(async () => {
    clock.close();
    await storage.close();
  });

  const newClock = (on: Storage) =>
    new Clock(on, {
      wall: () => Date.now() + machine.aheadMs + machine.ranMs,
      monotonic: () => performance.now() + machine.ranMs,
    });
  const keepToken = async (expiresAt: number): Promise<string> => {
    const { specialToken } = await createUser(storage, appId, { createdAt: Date.now() });
    const token = accessToken({ issuedAt: Date.now(), expiresAt });
    await storage.tokens.exchange(specialToken.tokenHash, 0, token);
    return token.tokenId;
  };
  const purge = async (by: Clock): Promise<void> => {
    const before = await by.mayPurgeBefore();
    if (before !== undefined) await storage.purgeExpired(before);
  };
  const isKept = async (tokenId: string): Promise<boolean> =>
    (await storage.tokens.findOwner(tokenId, 0)) !== undefined;

  test('the database returns its time, if it has a clock', async () => {
    const time = await storage.clock.read();
    if (database.kind === 'sqlite') expect(time).toBeUndefined();
    else expect(Math.abs((time as number) - Date.now())).toBeLessThan(30_000);
  });

  test('a correct clock purges expired rows and reports nothing', async () => {
    const [ended, good] = [await keepToken(Date.now() - 1), await keepToken(Date.now() + HOUR)];
    await clock.start();
    await purge(clock);
    expect([await isKept(ended), await isKept(good)]).toEqual([false, true]);
    expect(clock.problems()).toEqual([]);
  });

  test.each([-DAY, 2 * HOUR, 730 * DAY])(
    'a clock that jumps by %d ms deletes nothing and is reported',
    async (jump) => {
      const token = await keepToken(Date.now() + HOUR);
      await storage.audit.add({
        ...{ auditUid: crypto.randomUUID(), at: Date.now(), actor: 'Ada', action: 'application.changed', appId },
        ...{ subject: 'Example', userId: null, before: null, after: null },
      });
      await clock.start();
      machine.aheadMs = jump;
      await clock.measure();
      for (const _ of [1, 2, 3]) await purge(clock);
      expect(await isKept(token)).toBe(true);
      expect(await storage.audit.list(appId, {}, { before: null, limit: 10 })).toHaveLength(1);
      expect(clock.problems()).toMatchObject([{ kind: 'clock', effect: database.kind === 'sqlite' ? 'none' : 'down' }]);
      expect(clock.mayRotate).toBe(false);
      expect(clock.problems()[0]?.message).toContain('NTP');

      machine.aheadMs = 0;
      await clock.measure();
      await purge(clock);
      expect(await isKept(token)).toBe(true);
      expect(clock.problems()).toEqual([]);
      expect(clock.mayRotate).toBe(true);
    },
  );

  test('after a day of running a jump is trusted: the service may have been off that long', async () => {
    if (database.kind !== 'sqlite') return;
    const token = await keepToken(Date.now() + 2 * DAY);
    await clock.start();
    const later = newClock(storage);
    machine.aheadMs = 730 * DAY;
    await purge(later);
    expect(later.problems()).toMatchObject([{ kind: 'clock', effect: 'none' }]);
    for (let minutes = 0; minutes < 24 * 60; minutes += 4) {
      expect(await isKept(token)).toBe(true);
      machine.ranMs += 4 * MINUTE;
      await purge(later);
    }
    expect(later.problems()).toEqual([]);
    expect(await isKept(token)).toBe(false);
  });

  test('running time counts, and gaps of a few hours do not restart the wait', async () => {
    if (database.kind !== 'sqlite') return;
    await clock.start();
    machine.ranMs += 14 * HOUR;
    await purge(clock);
    for (let night = 0; night < 3; night++) {
      for (let minutes = 0; minutes < 10 * 60; minutes += 4) {
        machine.ranMs += 4 * MINUTE;
        await purge(clock);
      }
      if (clock.mayRotate) return;
      machine.ranMs += 14 * HOUR;
      await purge(clock);
    }
    expect.unreachable('a service that is off every night would never purge');
  });

  test('a database without a mark starts from its newest record', async () => {
    if (database.kind !== 'sqlite') return;
    await storage.signingKeys.add({ ...signingKey(1), createdAt: Date.now() }, Date.now());
    const token = await keepToken(Date.now() + HOUR);
    machine.aheadMs = 2 * HOUR;
    await clock.start();
    await purge(clock);
    expect(await isKept(token)).toBe(true);
  });

  test("with PostgreSQL the time is the database's, not the machine's", async () => {
    if (database.kind !== 'postgres') return;
    await clock.start();
    machine.aheadMs = 30_000;
    await clock.measure();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(5_000);
    expect(clock.skewMs).toBeGreaterThan(25_000);
    expect(clock.isTrusted).toBe(true);
    expect(clock.problems()).toMatchObject([{ kind: 'clock', effect: 'none' }]);
    machine.aheadMs = -2 * HOUR - MINUTE;
    await clock.measure();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(5_000);
    expect(clock.isTrusted).toBe(false);
    expect(clock.problems()[0]?.message).toMatch(/2 hours behind the database's.* NTP/);
    await expect(newClock(storage).start()).rejects.toThrow(ClockWrong);
  });

  test('a key created by a clock two years ahead is replaced, and others sign until then', async () => {
    const keyring = createKeyring(SECRET);
    let now = Date.now() + 730 * DAY;
    const times: KeyClock = { now: () => now, certain: () => now, isTrusted: true };
    const keys = new SigningKeys(storage.signingKeys, keyring, times);
    await keys.makeFirst();
    now = Date.now();
    expect(await keys.signJwt('JWT', {})).toMatch(/^ey/);
    await keys.rotateIfDue();
    await keys.rotateIfDue();
    const [, next, ...more] = await storage.signingKeys.list();
    expect(more).toEqual([]);
    expect(next?.createdAt).toBe(now);
    expect(keys.published()).toHaveLength(2);
    now += HOUR;
    const [header] = (await keys.signJwt('JWT', {})).split('.');
    expect(JSON.parse(Buffer.from(header as string, 'base64url').toString())).toMatchObject({ kid: next?.kid });
  });
});
