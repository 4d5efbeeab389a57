import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import {
  accessToken,
  application,
  createApplication,
  createUser,
  hash,
  MINUTE,
  NOW,
  tally,
  times,
  user,
} from './examples.ts';

describe.each(databases)('applications on $kind', (database) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  afterAll(() => storage.close());

  test('a created application is found', async () => {
    const example = application({
      name: 'Nameß "quoted"',
      settings: { accessTokenTtl: 60, allowedOrigins: ['https://a.example'] },
    });
    expect(await storage.applications.create(example)).toBe('created');
    expect(await storage.applications.findByClientId(example.clientId)).toEqual(example);
    expect(await storage.applications.list([example.appId])).toEqual([example]);
  });

  test('an application may have no secret, or two', async () => {
    const none = application({ secrets: [] });
    const two = application({
      secrets: [
        { secretHash: hash(), createdAt: NOW, expiresAt: null },
        { secretHash: hash(), createdAt: NOW - MINUTE, expiresAt: NOW + MINUTE },
      ],
    });
    await storage.applications.create(none);
    await storage.applications.create(two);
    expect(await storage.applications.findByClientId(none.clientId)).toEqual(none);
    expect(await storage.applications.findByClientId(two.clientId)).toEqual(two);
  });

  test('a number or clientId is used once, also by concurrent requests', async () => {
    const first = application();
    expect(await tally(times(20, () => storage.applications.create({ ...first, secrets: [] })))).toEqual({
      created: 1,
      taken: 19,
    });
    expect(await storage.applications.create(application({ clientId: first.clientId }))).toBe('taken');
    expect(await storage.applications.list([first.appId])).toHaveLength(1);
  });

  test('clientIds are compared exactly', async () => {
    const example = application({ clientId: '77_aB' });
    await storage.applications.create(example);
    for (const other of ['77_ab', '77_AB', '77_aB ', ' 77_aB', '77_a%', '77_a_']) {
      expect(await storage.applications.findByClientId(other)).toBeUndefined();
    }
  });

  test('the list is oldest first, and contains what exists of the requested ones', async () => {
    const [newer, older] = [application({ createdAt: NOW - 50 }), application({ createdAt: NOW - 99 })];
    await storage.applications.create(newer);
    await storage.applications.create(older);
    expect(await storage.applications.list([newer.appId, 1, older.appId])).toEqual([older, newer]);
    expect(await storage.applications.list([])).toEqual([]);
    expect((await storage.applications.list()).slice(0, 2)).toEqual([older, newer]);
  });

  test('an update changes only what it names', async () => {
    const example = application({ settings: { saveByUserUid: 'off' } });
    await storage.applications.create(example);
    expect(await storage.applications.update(example.appId, { name: 'Renamed' })).toBe('updated');
    expect(await storage.applications.findByClientId(example.clientId)).toEqual({ ...example, name: 'Renamed' });
    const change = { set: { accessTokenTtl: 60 }, reset: ['saveByUserUid', 'neverSet'] };
    expect(await storage.applications.update(example.appId, change)).toBe('updated');
    expect(await storage.applications.findByClientId(example.clientId)).toEqual({
      ...example,
      name: 'Renamed',
      settings: { accessTokenTtl: 60 },
    });
    expect(await storage.applications.update(1, { name: 'Nobody' })).toBe('unknown');
  });

  test('concurrent changes do not overwrite each other', async () => {
    const example = application({ settings: { s0: 'old', kept: 1 } });
    await storage.applications.create(example);
    const outcomes = times(20, (index) =>
      storage.applications.update(example.appId, { set: { [`s${index}`]: index } }),
    );
    expect(await tally([...outcomes, storage.applications.update(example.appId, { reset: ['kept'] })])).toEqual({
      updated: 21,
    });
    expect((await storage.applications.findByClientId(example.clientId))?.settings).toEqual(
      Object.fromEntries(times(20, (index) => [`s${index}`, index])),
    );
  });

  test('the overlap of secrets can be ended immediately', async () => {
    const [current, previous] = [
      { secretHash: hash(), createdAt: NOW, expiresAt: null },
      { secretHash: hash(), createdAt: NOW - MINUTE, expiresAt: NOW + MINUTE },
    ];
    const example = application({ secrets: [current, previous] });
    await storage.applications.create(example);
    expect(await storage.applications.endPreviousSecrets(example.appId)).toBe('ended');
    expect((await storage.applications.findByClientId(example.clientId))?.secrets).toEqual([current]);
    expect(await storage.applications.endPreviousSecrets(example.appId)).toBe('ended');
    expect(await storage.applications.endPreviousSecrets(1)).toBe('unknown');
  });

  test('deleting an application deletes all of its data and no other', async () => {
    const [doomed, spared] = [await createApplication(storage), await createApplication(storage)];
    const idempotency = { keyHash: hash(), bodyHash: hash(), expiresAt: NOW + MINUTE };
    const gone = await createUser(storage, doomed, { idempotency });
    const stays = await createUser(storage, spared, { clientUserId: gone.clientUserId });
    const token = accessToken();
    await storage.tokens.exchange(gone.specialToken.tokenHash, NOW, token);
    expect(await storage.applications.countUsers(doomed)).toBe(1);

    expect(await storage.applications.delete(doomed)).toBe('deleted');
    expect(await storage.applications.delete(doomed)).toBe('unknown');
    expect(await storage.applications.list([doomed])).toEqual([]);
    expect(await storage.applications.countUsers(doomed)).toBe(0);
    expect(await storage.users.find(doomed, gone.userId)).toBeUndefined();
    expect(await storage.tokens.findOwner(token.tokenId, NOW)).toBeUndefined();
    expect(await storage.users.find(spared, stays.userId)).toMatchObject({ userId: stays.userId });

    await storage.applications.create(application({ appId: doomed }));
    expect(await storage.users.createWithToken({ ...gone, userId: randomUUID() })).toBe('created');
  });

  test('users created while their application is deleted are deleted with it or never created', async () => {
    const appId = await createApplication(storage);
    const creating = times(60, () => storage.users.createWithToken(user(appId)));
    const deleted = storage.applications.delete(appId);
    const late = times(60, () => storage.users.createWithToken(user(appId)));
    const counts = await tally([...creating, ...late]);
    expect(await deleted).toBe('deleted');
    expect((counts.created ?? 0) + (counts['application-gone'] ?? 0)).toBe(120);
    expect(await storage.users.createWithToken(user(appId))).toBe('application-gone');
    expect(await storage.applications.countUsers(appId)).toBe(0);
  });
});
