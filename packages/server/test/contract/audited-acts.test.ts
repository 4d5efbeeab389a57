import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AUDITED_ACTS, auditedStorage } from '../../src/storage/audited-storage.ts';
import { storageDriver } from '../../src/storage/open.ts';
import type { AuditEntry, Storage } from '../../src/storage/port.ts';
import { orderedUuid } from '../../src/uuid.ts';
import { databases } from '../databases.ts';
import { dump } from '../dump.ts';
import { AUDITED_EXAMPLES } from './audited-examples.ts';
import { createApplication, createUser, NOW, times } from './examples.ts';

const plansOf = (isWanted: (plan: string | object) => boolean): string[] =>
  Object.entries(AUDITED_ACTS).flatMap(([store, plans]) =>
    Object.entries(plans as Record<string, string | object>).flatMap(([act, plan]) =>
      isWanted(plan) ? [`${store}.${act}`] : [],
    ),
  );

test('every act that changes something is audited, or gives a reason', () => {
  const audited = plansOf((plan) => typeof plan === 'object' && 'entries' in plan);
  expect(audited.sort()).toEqual(Object.keys(AUDITED_EXAMPLES).sort());
  expect(plansOf((plan) => typeof plan === 'object' && 'because' in plan).sort()).toEqual([
    'accounts.addSetUpLink',
    'accounts.setPreferences',
    'activity.add',
    'applications.touchSecret',
    'attempts.admit',
    'attempts.forget',
    'audit.add',
    'audit.addCounts',
    'deliveries.claim',
    'deliveries.enqueue',
    'deliveries.release',
    'deliveries.renew',
    'deliveries.settle',
    'deliveries.take',
    'events.purge',
    'facts.replace',
    'facts.settle',
    'manageTokens.touch',
    'rateLimits.spend',
    'requestLog.add',
    'requestLog.trim',
    'sealed.replace',
    'secondFactors.begin',
    'secondFactors.spend',
    'selections.purgeHistory',
    'selections.unset',
    'sessions.end',
    'sessions.openByIdentity',
    'sessions.openByLink',
    'sessions.openByPassword',
    'sessions.touch',
    'signingKeys.add',
    'tokens.exchange',
    'trials.end',
  ]);
});

describe.each(databases)('audited acts on $kind', (database) => {
  let url: string;
  let plain: Storage;
  let storage: Storage;
  let appId: number;
  beforeAll(async () => {
    url = await database.fresh();
    plain = await (await storageDriver(url)).open();
    storage = auditedStorage(plain, () => 'ada@example.com', Date.now);
  });
  beforeEach(async () => {
    appId = await createApplication(plain);
  });
  afterAll(() => plain.close());

  const entries = async (of: number | null = appId): Promise<AuditEntry[]> =>
    plain.audit.list(of, {}, { before: null, limit: 100 });
  const nameIn = (json: string | null) => (JSON.parse(json ?? '{}') as { name?: string }).name;
  const everything = async (): Promise<string[]> => (await dump(url)).split('\n').sort();

  test.each(Object.entries(AUDITED_EXAMPLES))('%s is audited, or rolled back', async (_, { prepare, actions }) => {
    const act = await prepare(plain, appId);
    const before = await everything();
    await database.execute(url, 'alter table audit_log rename to audit_log_elsewhere');
    await expect(act(storage)).rejects.toThrow('audit_log');
    await database.execute(url, 'alter table audit_log_elsewhere rename to audit_log');
    expect(await everything()).toEqual(before);

    const earlier = new Set((await entries(null)).map(({ auditUid }) => auditUid));
    const others = new Set((await plain.applications.list()).map((each) => each.appId));
    await act(storage);
    const made = (await plain.applications.list()).find((each) => !others.has(each.appId));
    const added = [
      ...(await entries(made?.appId ?? appId)),
      ...(await entries(null)).filter(({ auditUid }) => !earlier.has(auditUid)),
    ];
    expect(added.map(({ action }) => action).sort()).toEqual([...actions].sort());
    expect(added.every(({ actor }) => actor === 'ada@example.com')).toBe(true);
    expect(await everything()).not.toEqual(before);
  });

  test('a rejected act leaves no entry', async () => {
    const gone = (await createUser(plain, appId)).userId;
    await plain.users.delete(appId, gone);
    expect(await storage.users.delete(appId, gone)).toBe('unknown');
    expect(await storage.applications.update(1, { name: 'x' })).toBe('unknown');
    expect(await storage.applications.update(appId, { name: 'Example' })).toBe('updated');
    expect(await storage.trials.add(1, 'x', NOW)).toBe('application-gone');
    expect(await storage.drafts.discard(appId, { draftId: randomUUID(), version: 1 })).toBe('conflict');
    expect(await entries()).toEqual([]);
  });

  test('concurrent acts each have their own entry', async () => {
    const names = times(12, (index) => `Name ${index}`);
    await Promise.all(names.map((name) => storage.applications.update(appId, { name })));
    const reported = (await entries()).map(({ before, after }) => [nameIn(before), nameIn(after)]);
    expect(reported.map(([, after]) => after).sort()).toEqual([...names].sort());
    // The entries form a chain: each `before` is the `after` of another.
    const [application] = await plain.applications.list([appId]);
    const ends = ['Example', ...names].filter((name) => name !== application?.name);
    expect(reported.map(([before]) => before).sort()).toEqual(ends.sort());
  });

  test('the batches of an import share an entry', async () => {
    const importId = orderedUuid();
    const person = (createdAt: number | null) => ({
      ...{ clientUserId: randomUUID(), clientUserName: 'A', userId: null, newUserId: randomUUID(), createdAt },
      selections: [],
    });
    const change = { at: NOW, ifThere: 'compare' as const, importId };
    await Promise.all(
      times(4, () => storage.transfer.importUsers(appId, [person(NOW), person(NOW), person(null)], change)),
    );
    const again = person(NOW);
    await storage.transfer.importUsers(appId, [again], change);
    await storage.transfer.importUsers(appId, [again], change);
    const saved = (keyNo: number, value: string, updatedAt: number) => ({
      ...{ selectionId: randomUUID(), keyNo, revision: 1, value, language: null, createdAt: NOW, updatedAt },
    });
    const update = { ...change, ifThere: 'update' as const };
    await storage.transfer.importUsers(appId, [{ ...again, selections: [saved(1, 'true', NOW)] }], update);
    // The selection older than the stored one is skipped, the other is imported: an update.
    const selections = [saved(1, 'false', NOW - 1), saved(2, 'true', NOW)];
    await storage.transfer.importUsers(appId, [{ ...again, selections }], update);
    const [entry, ...more] = await entries();
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ auditUid: importId, action: 'users.imported', actor: 'ada@example.com' });
    expect(JSON.parse(entry?.after ?? '')).toEqual({ created: 9, adopted: 0, updated: 2, profilesOnly: 4 });
  });

  test('a draft edit records who edited what, in bounded size', async () => {
    const changes = times(500, (index) => ({
      kind: 'added',
      path: `${'long '.repeat(100)}${index}`,
      details: ['text'],
    }));
    const draft = { draftId: randomUUID(), version: 1, baseRevision: 0, languages: '[]' };
    const by = {
      createdBy: 'ada@example.com',
      createdAt: NOW,
      updatedBy: 'ada@example.com',
      updatedAt: NOW,
      authors: [],
    };
    const edit = { kind: 'edit' as const, difference: JSON.stringify(changes), inverse: '{}' };
    await storage.drafts.save({ appId, draft: { ...draft, ...by }, items: [], removed: [], edit });
    const [entry] = await entries();
    expect(entry).toMatchObject({ action: 'catalog.draftEdited', actor: 'ada@example.com', subject: '0' });
    const { places, ...after } = JSON.parse(entry?.after ?? '') as { places: string[] };
    expect(after).toEqual({ kind: 'edit', version: 1, changes: 500 });
    expect(places).toHaveLength(10);
    expect(entry?.after?.length).toBeLessThan(1200);
  });
});
