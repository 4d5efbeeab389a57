import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { AuditFilter, NewAuditEntry, Storage } from '../../src/storage/port.ts';
import { orderedUuid } from '../../src/uuid.ts';
import { databases } from '../databases.ts';
import { createApplication, createUser, NOW, times } from './examples.ts';

describe.each(databases)('the audit log on $kind', (database) => {
  let storage: Storage;
  let appId: number;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  beforeEach(async () => {
    appId = await createApplication(storage);
  });
  afterAll(() => storage.close());

  const entry = (given: Partial<NewAuditEntry> = {}): NewAuditEntry => ({
    auditUid: orderedUuid(),
    appId,
    at: NOW,
    actor: 'ada@example.com',
    action: 'application.changed',
    subject: 'Büro "1"',
    userId: null,
    before: '{"name":"a"}',
    after: null,
    ...given,
  });
  const list = (filter: AuditFilter = {}, limit = 100, before: string | null = null, of: number | null = appId) =>
    storage.audit.list(of, filter, { before, limit });

  test('newest first, in pages, with any filter', async () => {
    const { userId } = await createUser(storage, appId);
    const all = [
      entry({ at: NOW - 2 }),
      entry({ at: NOW - 1, actor: 'token:ci' }),
      entry({ action: 'user.exported', userId, before: null, after: '{}' }),
    ];
    for (const each of all) await storage.audit.add(each);
    const [a, b, c] = all.map(({ appId: _, ...kept }) => kept);
    expect(await list()).toEqual([c, b, a]);
    expect(await list({}, 1, c?.auditUid)).toEqual([b]);
    expect(await list({ actor: 'token:ci' })).toEqual([b]);
    expect(await list({ action: 'user.exported' })).toEqual([c]);
    expect(await list({ userId })).toEqual([c]);
    expect(await list({ from: NOW - 1, to: NOW })).toEqual([b]);
  });

  test('a deleted user is no longer named, nor is one deleted meanwhile', async () => {
    const { userId } = await createUser(storage, appId);
    await storage.audit.add(entry({ userId }));
    await storage.audit.add(entry({ userId: randomUUID() }));
    await storage.users.delete(appId, userId);
    expect((await list()).map((each) => each.userId)).toEqual([null, null]);
  });

  test('a concurrent deletion leaves no name', async () => {
    const users = await Promise.all(times(20, () => createUser(storage, appId)));
    await Promise.all(
      users.flatMap(({ userId }) => [storage.audit.add(entry({ userId })), storage.users.delete(appId, userId)]),
    );
    expect((await list()).map((each) => each.userId)).toEqual(times(20, () => null));
  });

  test('entries are deleted with their application; later ones concern the installation', async () => {
    await storage.audit.add(entry());
    await storage.applications.delete(appId);
    const last = entry({ action: 'application.deleted' });
    await storage.audit.add(last);
    expect(await list()).toEqual([]);
    expect((await list({}, 100, null, null)).map(({ auditUid }) => auditUid)).toContain(last.auditUid);
  });

  test('it is kept for 400 days', async () => {
    await storage.audit.add(entry({ at: NOW - 401 * 86_400_000 }));
    await storage.audit.add(entry({ at: NOW - 399 * 86_400_000 }));
    await storage.purgeExpired(NOW);
    expect(await list()).toHaveLength(1);
  });
});
