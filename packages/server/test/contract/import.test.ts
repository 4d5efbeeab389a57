import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCompiledCatalog } from '../../src/domain/catalog/compile.ts';
import { publishCatalog } from '../../src/domain/catalog/publish.ts';
import { readDefinition } from '../../src/domain/catalog/read-definition.ts';
import { finish } from '../../src/domain/slices.ts';
import { exportUsers } from '../../src/domain/users/export-users.ts';
import { importUsers } from '../../src/domain/users/import-users.ts';
import { storageDriver } from '../../src/storage/open.ts';
import type {
  IfThere,
  ImportEntry,
  ImportOutcome,
  ImportSelection,
  Storage,
  StoredUserPage,
} from '../../src/storage/port.ts';
import { orderedUuid } from '../../src/uuid.ts';
import { databases } from '../databases.ts';
import { dump } from '../dump.ts';
import { ALL, createApplication, createUser, hash, MINUTE, NOW, times, user } from './examples.ts';

let counter = 0;
const entry = (given: Partial<ImportEntry> = {}): ImportEntry => ({
  clientUserId: `imported-${++counter}`,
  clientUserName: 'Åsa Exempel',
  userId: null,
  newUserId: randomUUID(),
  createdAt: NOW - 5 * MINUTE,
  selections: [],
  ...given,
});

const alone = (given: Partial<ImportEntry> = {}): ImportEntry => entry({ createdAt: null, ...given });

const selection = (keyNo: number, value: unknown, given: Partial<ImportSelection> = {}): ImportSelection => ({
  selectionId: randomUUID(),
  keyNo,
  revision: 3,
  value: JSON.stringify(value),
  language: null,
  texts: null,
  createdAt: NOW - 4 * MINUTE,
  updatedAt: NOW - 3 * MINUTE,
  ...given,
});

/** As stored by the first import. */
const first = (wanted: ImportSelection) => ({ ...wanted, version: 1 });

describe.each(databases)('importing users into $kind', (database) => {
  let storage: Storage;
  let other: Storage;
  let url: string;
  let appId: number;
  beforeAll(async () => {
    url = await database.fresh();
    const driver = await storageDriver(url);
    storage = await driver.open();
    other = await driver.open();
    appId = await createApplication(storage);
  });
  afterAll(() => Promise.all([storage.close(), other.close()]));

  const put = async (entries: ImportEntry[], ifThere: IfThere = 'compare', into = appId): Promise<ImportOutcome[]> => {
    const imported = await storage.transfer.importUsers(into, entries, { at: NOW, ifThere, importId: orderedUuid() });
    if (!('outcomes' in imported)) throw new Error(imported.outcome);
    return imported.outcomes;
  };
  const stored = (clientUserId: string, from = appId) => storage.transfer.find(from, clientUserId);
  /** Imports one user and returns the entry. */
  const putOne = async (given: Partial<ImportEntry> = {}): Promise<ImportEntry> => {
    const one = entry(given);
    expect(await put([one])).toEqual(['created']);
    return one;
  };

  test('a status is imported with a new user, and changes an existing one only if the line has it', async () => {
    const one = await putOne({ status: 'suspended', updatedAt: NOW - 5 });
    const { clientUserId } = one;
    const status = async () => {
      const { status, updatedAt } = (await stored(clientUserId)) as { status: string; updatedAt: number };
      return { status, updatedAt };
    };
    expect(await status()).toEqual({ status: 'suspended', updatedAt: NOW - 5 });
    const { status: _, updatedAt: _at, ...silent } = one;
    expect(await put([silent], 'update')).toEqual(['unchanged']);
    expect(await put([{ ...one, status: 'active' }], 'compare')).toEqual([{ differsIn: 'status' }]);
    expect(await put([{ ...one, status: 'active' }], 'update')).toEqual(['updated']);
    expect(await status()).toMatchObject({ status: 'active' });
    expect((await status()).updatedAt).toBeGreaterThan(NOW - 5);
  });

  test('a new user is imported with its selections and their history', async () => {
    const text = selection(7, 'Zoë 🦊 "\\{},\u0000', { language: 'es', texts: '{"de":"Ä"}' });
    const flag = selection(2, true);
    const one = await putOne({ clientUserId: 'Zoë 🦊\n"\\', userId: randomUUID(), selections: [text, flag] });
    const { clientUserId, clientUserName, userId, createdAt } = one;
    expect(await stored(clientUserId)).toEqual({
      clientUserId,
      clientUserName,
      status: 'active',
      updatedAt: null,
      userId,
      createdAt,
      selections: [flag, text].map(first),
    });
    expect(await other.users.find(appId, userId as string)).toEqual({
      userId,
      appId,
      clientUserId,
      clientUserName,
      status: 'active',
      createdAt,
      updatedAt: createdAt,
    });
    expect(await other.selections.list(userId as string)).toEqual([flag, text].map(first));
    expect((await other.selections.history(userId as string, ALL, flag.selectionId)).items).toEqual([
      {
        selectionId: flag.selectionId,
        keyNo: 2,
        at: NOW,
        authMethod: 'import',
        actor: null,
        language: null,
        fromValue: null,
        toValue: 'true',
      },
    ]);
  });

  test('a user without an id gets a generated one', async () => {
    const one = await putOne();
    expect(await stored(one.clientUserId)).toMatchObject({ userId: one.newUserId });
  });

  test('equal users are distinguished from different ones, with the differences', async () => {
    const held = [selection(1, 'a'), selection(2, 'b', { language: 'de' })];
    const one = await putOne({ userId: randomUUID(), selections: held });
    const again = (given: Partial<ImportEntry>): Promise<ImportOutcome[]> =>
      put([{ ...one, newUserId: randomUUID(), ...given }]);
    expect(await again({})).toEqual(['unchanged']);
    // Times, selection ids and anything that the entry leaves out are not compared.
    expect(await again({ userId: null, createdAt: 5, selections: [selection(1, 'a', { revision: 9 })] })).toEqual([
      'unchanged',
    ]);
    expect(await again({ userId: randomUUID() })).toEqual([{ differsIn: 'userId' }]);
    expect(await again({ clientUserName: 'Other' })).toEqual([{ differsIn: 'clientUserName' }]);
    expect(await again({ selections: [selection(1, 'a'), selection(3, 'c')] })).toEqual([{ differsIn: 1 }]);
    expect(await again({ selections: [selection(2, 'b', { language: 'en' })] })).toEqual([{ differsIn: 0 }]);
    const texts = '{"en":"c"}';
    expect(await again({ selections: [selection(2, 'b', { language: 'de', texts })] })).toEqual([{ differsIn: 0 }]);
    expect(await again({ createdAt: null, selections: [] })).toEqual(['has-user']);
    const found = await stored(one.clientUserId);
    expect(found).toMatchObject({ clientUserName: one.clientUserName, userId: one.userId, selections: held });
  });

  test('a deleted user stays deleted, unless restored on request', async () => {
    const one = await putOne({ userId: randomUUID(), selections: [selection(1, 'a')] });
    const userId = one.userId as string;
    expect(await storage.users.delete(appId, userId)).toBe('deleted');
    const neighbour = entry();
    for (const ifThere of ['compare', 'update', 'keep'] as const) {
      expect(await put([one, neighbour], ifThere)).toContain('deleted-since');
      expect(await put([alone({ ...one, selections: [] })], ifThere)).toEqual(['deleted-since']);
    }
    expect(await stored(one.clientUserId)).toBeUndefined();
    expect(await stored(neighbour.clientUserId)).toBeDefined();
    // The name may be reused, but the older line still belongs to the deleted user.
    expect(await put([{ ...one, userId: null }])).toEqual(['created']);
    expect(await put([one], 'update')).toEqual(['deleted-since']);
    expect(await storage.users.delete(appId, one.newUserId)).toBe('deleted');
    // In another application it is another user.
    const elsewhere = await createApplication(storage);
    expect(await put([one], 'update', elsewhere)).toEqual(['created']);
    expect(await storage.applications.delete(elsewhere)).toBe('deleted');

    const restore = { at: NOW, ifThere: 'update', importId: orderedUuid(), restoreDeleted: true } as const;
    // A line that is rejected restores nobody: its user stays deleted.
    const successor = entry({ clientUserId: one.clientUserId });
    expect(await put([successor])).toEqual(['created']);
    expect(await storage.transfer.importUsers(appId, [one], restore)).toEqual({ outcomes: [{ differsIn: 'userId' }] });
    expect(await put([one], 'update')).toEqual(['deleted-since']);
    expect(await storage.users.delete(appId, successor.newUserId)).toBe('deleted');
    expect(await storage.transfer.importUsers(appId, [one], restore)).toEqual({ outcomes: ['created'] });
    expect(await put([one], 'update')).toEqual(['unchanged']);
  });

  test('codes of deleted users are kept for 400 days, and deleted with their application', async () => {
    const gone = await createApplication(storage);
    const [kept, old] = [await putOne({ userId: randomUUID() }), await putOne({ userId: randomUUID() })];
    const other = entry({ userId: randomUUID() });
    await put([other], 'compare', gone);
    for (const [app, { userId }] of [
      [appId, kept],
      [appId, old],
      [gone, other],
    ] as const) {
      await storage.users.delete(app, userId as string);
    }
    await storage.applications.delete(gone);
    // Events keep ids until the events are purged.
    while ((await storage.events.purge(appId, Number.MAX_SAFE_INTEGER)) > 0);
    const left = await dump(url);
    // No code is left; its hash is kept only as long as the application exists.
    for (const { userId } of [kept, old, other]) expect(left).not.toContain(userId);
    const hashes = [kept, old, other].map(({ userId }) =>
      createHash('sha256')
        .update(userId as string)
        .digest('hex'),
    );
    expect(hashes.map((each) => left.includes(each))).toEqual([true, true, false]);
    const code = database.kind === 'sqlite' ? `x'${hashes[1]}'` : `'\\x${hashes[1]}'`;
    await database.execute(url, `update deleted_users set at = at - ${401 * 86_400_000} where code_hash = ${code}`);
    await storage.purgeExpired(Date.now());
    expect(await put([kept, old])).toEqual(['deleted-since', 'created']);
  });

  test('an update changes what the entry names and keeps the rest', async () => {
    const [kept, changed] = [selection(1, 'kept'), selection(2, 'old')];
    const one = await putOne({ selections: [kept, changed] });
    const [next, added] = [selection(2, 'new', { updatedAt: NOW }), selection(3, 'added')];
    const wanted = { ...one, clientUserName: 'New name', selections: [next, added] };
    expect(await put([wanted], 'update')).toEqual(['updated']);
    const found = await stored(one.clientUserId);
    expect(found).toMatchObject({ clientUserName: 'New name', userId: one.newUserId, createdAt: one.createdAt });
    expect(found?.selections).toEqual([
      first(kept),
      { ...next, selectionId: changed.selectionId, version: 2, createdAt: changed.createdAt },
      { ...first(added), selectionId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    ]);
    expect((await storage.selections.history(one.newUserId, ALL, changed.selectionId)).items).toMatchObject([
      { authMethod: 'import', fromValue: '"old"', toValue: '"new"', at: NOW },
      { authMethod: 'import', fromValue: null, toValue: '"old"' },
    ]);
    expect(await put([wanted], 'update')).toEqual(['unchanged']);
    expect(await put([{ ...wanted, userId: randomUUID() }], 'update')).toEqual([{ differsIn: 'userId' }]);
  });

  test('an update of an unset key starts a new record', async () => {
    const begun = selection(1, 'first');
    const one = await putOne({ selections: [begun] });
    await storage.selections.unset(one.newUserId, begun.selectionId, { at: NOW, authMethod: 'user_uid' });
    expect(await put([{ ...one, selections: [{ ...begun, updatedAt: NOW }] }], 'update')).toEqual(['updated']);
    const [again] = await storage.selections.list(one.newUserId);
    expect(again?.selectionId).not.toBe(begun.selectionId);
    expect((await storage.selections.history(one.newUserId, ALL, begun.selectionId)).items).toHaveLength(2);
  });

  test('an update keeps what was saved or unset after the entry', async () => {
    const [early, late, same, unset] = [1, 2, 3, 4].map((keyNo) => selection(keyNo, 'old')) as ImportSelection[];
    const one = await putOne({ selections: [early, late, same, unset] as ImportSelection[] });
    const userId = one.newUserId;
    const exportedAt = NOW - MINUTE;
    const save = (keyNo: number, value: string, at: number) =>
      storage.selections.save(appId, userId, [selection(keyNo, value)], { at, authMethod: 'user_uid' });
    await save(1, 'before', exportedAt - 1);
    await save(2, 'after', exportedAt + 1);
    await save(3, 'at the same time', exportedAt);
    await storage.selections.unset(userId, (unset as ImportSelection).selectionId, {
      at: exportedAt + 1,
      authMethod: 'user_uid',
    });
    const wanted = [1, 2, 3, 4, 5].map((keyNo) => selection(keyNo, 'line', { updatedAt: exportedAt }));
    const line = { ...one, clientUserName: 'New name', selections: wanted };
    expect(await put([line], 'update')).toEqual([{ outcome: 'updated', keptNewer: 2 }]);
    expect((await stored(one.clientUserId))?.selections).toMatchObject([
      { keyNo: 1, value: '"line"', updatedAt: exportedAt },
      { keyNo: 2, value: '"after"', updatedAt: exportedAt + 1 },
      { keyNo: 3, value: '"line"', updatedAt: exportedAt },
      { keyNo: 5, value: '"line"', updatedAt: exportedAt },
    ]);
    expect(await put([line], 'update')).toEqual([{ outcome: 'unchanged', keptNewer: 2 }]);
    // A later export has the newer selections.
    const later = { ...line, selections: wanted.map((each) => ({ ...each, updatedAt: NOW })) };
    expect(await put([later], 'update')).toEqual(['updated']);
    expect((await stored(one.clientUserId))?.selections.map(({ value }) => value)).toEqual(Array(5).fill('"line"'));
  });

  test('a save or unset during an update is kept as well', async () => {
    const users = await Promise.all(
      times(30, async () => {
        const one = entry({ selections: [selection(1, 'old'), selection(2, 'old')] });
        expect(await put([one])).toEqual(['created']);
        return one;
      }),
    );
    const wanted = users.map((one) => ({
      ...one,
      selections: [1, 2].map((keyNo) => selection(keyNo, 'line', { updatedAt: NOW })),
    }));
    const change = { at: NOW + 1, authMethod: 'user_uid' } as const;
    await Promise.all([
      put(wanted, 'update'),
      ...users.flatMap(({ newUserId, selections: [, second] }) => [
        other.selections.save(appId, newUserId, [selection(1, 'saved')], change),
        other.selections.unset(newUserId, second?.selectionId as string, change),
      ]),
    ]);
    for (const { clientUserId } of users) {
      expect((await stored(clientUserId))?.selections).toMatchObject([{ keyNo: 1, value: '"saved"' }]);
    }
  });

  test('with keep, an existing user is not changed by any entry', async () => {
    const one = await putOne({ selections: [selection(1, 'mine')] });
    const before = await stored(one.clientUserId);
    const other = { ...one, clientUserName: 'Other', userId: randomUUID(), selections: [selection(1, 'theirs')] };
    expect(await put([other, entry()], 'keep')).toEqual(['kept', 'created']);
    expect(await put([{ ...one, createdAt: null, selections: [] }], 'keep')).toEqual(['kept']);
    expect(await stored(one.clientUserId)).toEqual(before);
  });

  test('an id of another user is not used twice, also not by another application', async () => {
    const userId = randomUUID();
    await putOne({ userId });
    const elsewhere = await createApplication(storage);
    const second = entry({ userId, selections: [selection(1, true)] });
    expect(await put([second])).toEqual(['user-id-taken']);
    expect(await put([second], 'update', elsewhere)).toEqual(['user-id-taken']);
    expect(await put([alone({ userId })])).toEqual(['user-id-taken']);
    expect(await stored(second.clientUserId)).toBeUndefined();
    // Also within one batch: the first entry gets the id.
    const shared = randomUUID();
    expect(await put([entry({ userId: shared }), entry({ userId: shared })])).toEqual(['created', 'user-id-taken']);
  });

  test('a profile without a user collides with a new user, until a complete user adopts it', async () => {
    const orphan = alone({ clientUserName: 'Left behind' });
    expect(await put([orphan])).toEqual(['profile-created']);
    expect(await put([orphan])).toEqual(['unchanged']);
    expect(await stored(orphan.clientUserId)).toMatchObject({ createdAt: null, selections: [] });
    expect(await storage.applications.countUsers(appId)).toBe(await other.applications.countUsers(appId));
    const { clientUserId } = orphan;
    expect(await storage.users.createWithToken(user(appId, { clientUserId }))).toBe('profile-exists');
    expect(await put([{ ...orphan, clientUserName: 'Other' }])).toEqual([{ differsIn: 'clientUserName' }]);
    expect(await put([{ ...orphan, clientUserName: 'Other' }], 'update')).toEqual(['updated']);
    expect(await put([{ ...orphan, clientUserName: 'Third' }], 'keep')).toEqual(['kept']);
    expect(await stored(clientUserId)).toMatchObject({ clientUserName: 'Other', createdAt: null });

    const whole = entry({ clientUserId, clientUserName: 'Whole', selections: [selection(1, true)] });
    expect(await put([whole], 'keep')).toEqual(['adopted']);
    const adopted = await stored(clientUserId);
    // The user gets the id from the profile back.
    expect(adopted).toMatchObject({ userId: orphan.newUserId, clientUserName: 'Whole', createdAt: whole.createdAt });
    expect(adopted?.selections).toEqual(whole.selections.map(first));
    expect(await storage.users.createWithToken(user(appId, { clientUserId }))).toBe('duplicate');
    expect(await put([whole])).toEqual(['unchanged']);
  });

  test("an adopted profile takes its user's id, unless that is taken", async () => {
    const [first, second] = [alone(), alone({ userId: randomUUID() })];
    expect(await put([first, second])).toEqual(['profile-created', 'profile-created']);
    const userId = randomUUID();
    expect(await put([entry({ clientUserId: first.clientUserId, userId })])).toEqual(['adopted']);
    expect(await storage.users.find(appId, userId)).toMatchObject({ clientUserId: first.clientUserId });

    // Another user has since been imported with the second profile's id.
    await putOne({ userId: second.userId });
    const { clientUserId } = second;
    expect(await storage.users.createWithToken(user(appId, { clientUserId }))).toBe('profile-exists');
    const token = { tokenHash: hash(), expiresAt: NOW + MINUTE };
    expect(await storage.tokens.replaceSpecialToken(appId, clientUserId, token)).toEqual({ outcome: 'unknown-user' });
    expect(await put([entry({ clientUserId, userId: second.userId })])).toEqual(['user-id-taken']);
    const whole = entry({ clientUserId });
    expect(await put([whole])).toEqual(['adopted']);
    expect(await stored(clientUserId)).toMatchObject({ userId: whole.newUserId });
  });

  test('an import into a deleted application says so', async () => {
    const gone = await storage.transfer.importUsers(1, [entry()], {
      at: NOW,
      ifThere: 'compare',
      importId: orderedUuid(),
    });
    expect(gone).toEqual({ outcome: 'application-gone' });
  });

  test('an entry that cannot be stored fails its whole batch', async () => {
    const good = entry();
    const bad = entry({ selections: [selection(1, true, { revision: null as unknown as number })] });
    await expect(put([good, bad])).rejects.toThrow();
    expect(await stored(good.clientUserId)).toBeUndefined();
  });

  test('concurrent imports, creates and deletes of the same names leave complete users', async () => {
    const names = times(40, (i) => `raced-${i}`);
    const batch = () => names.map((clientUserId) => entry({ clientUserId, selections: [selection(1, clientUserId)] }));
    const outcomes = await Promise.all([
      ...times(3, async () => (await put(batch(), 'compare')).map(String)),
      ...times(2, async () => {
        const imported = await other.transfer.importUsers(appId, batch().reverse(), {
          at: NOW,
          ifThere: 'update',
          importId: orderedUuid(),
        });
        return 'outcomes' in imported ? imported.outcomes.map(String) : [];
      }),
      ...names.map(async (clientUserId) => {
        const mine = user(appId, { clientUserId });
        const created = await other.users.createWithToken(mine);
        if (created === 'created') await other.users.delete(appId, mine.userId);
        return [created];
      }),
    ]);
    expect([...new Set(outcomes.flat()).difference(ALLOWED)]).toEqual([]);
    for (const clientUserId of names) {
      const found = await stored(clientUserId);
      if (!found) continue;
      expect(found.createdAt).not.toBeNull();
      expect(found.selections.length).toBeLessThanOrEqual(1);
      expect(await storage.users.find(appId, found.userId)).toMatchObject({ clientUserId });
    }
  });
  const ALLOWED = new Set(['created', 'unchanged', 'updated', 'duplicate', '[object Object]']);

  test('users are exported in byte order, in pages, including orphans', async () => {
    const from = await createApplication(storage);
    const names = ['ä', 'Z', 'a', 'ab', '🦊', '\uffff', 'a b', '0', 'é', 'e\u0301'];
    const inBytes = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    await put(
      names.map((clientUserId, index) =>
        clientUserId === 'a' ? alone({ clientUserId }) : entry({ clientUserId, selections: [selection(1, index)] }),
      ),
      'compare',
      from,
    );
    await createUser(storage, appId);
    const exported: string[] = [];
    for (let after: string | null = null; ; ) {
      const page: StoredUserPage = await other.transfer.exportUsers(from, { after, limit: 3 });
      exported.push(...page.users.map(({ clientUserId }) => clientUserId));
      for (const each of page.users) expect(each).toEqual(await stored(each.clientUserId, from));
      if (page.next === null) break;
      after = page.next;
    }
    expect(exported).toEqual(inBytes);
  });

  test('users with much saved are exported in smaller pages, all or those of a filter', async () => {
    const from = await createApplication(storage);
    const long = [1, 2].map((keyNo) => selection(keyNo, 'x'.repeat(100_000)));
    const names = times(24, (n) => `u${String(n).padStart(3, '0')}`);
    await put(
      names.map((clientUserId) => entry({ clientUserId, selections: long })),
      'compare',
      from,
    );
    const filter = { catalog: await loadCompiledCatalog(storage, from), conditions: [], effective: false };
    for (const wanted of [undefined, { ...filter, status: 'active' as const }]) {
      let begin: string | null = null;
      let users = 0;
      const sizes: number[] = [];
      do {
        const { value } = await exportUsers(storage, from, { begin, filter: wanted }).next();
        sizes.push(value?.users ?? 0);
        users += value?.users ?? 0;
        begin = value?.next ?? null;
      } while (begin !== null);
      expect(users).toBe(names.length);
      expect(Math.max(...sizes)).toBeLessThan(names.length);
    }
  });

  test('users with many selections are written in several transactions, so that others can write in between', async () => {
    const from = await createApplication(storage);
    const keys = times(500, (n) => ({ name: `k${n}`, type: 'boolean' }));
    const read = finish(readDefinition({ languages: [{ name: 'English', tag: 'en' }], groups: [{ name: 'g', keys }] }));
    if (!('definition' in read)) throw new Error(JSON.stringify(read.problems));
    await publishCatalog(storage, from, read.definition, { author: 'x', now: NOW, allowBreaking: false });
    const options = keys.map(({ name }) => ({ group: 'g', key: name, value: [true] }));
    const lines = times(24, (n) => {
      return { line: n, text: JSON.stringify({ clientUserId: `much-${n}`, clientUserName: 'x', options }) };
    });
    const written: number[] = [];
    const importEntries: Storage['transfer']['importUsers'] = (app, entries, change) => {
      written.push(entries.reduce((sum, { selections }) => sum + selections.length, 0));
      return storage.transfer.importUsers(app, entries, change);
    };
    const watched = { ...storage, transfer: { ...storage.transfer, importUsers: importEntries } };
    async function* parts() {
      yield lines;
    }
    const { counts } = await importUsers(watched, from, parts(), {
      ...{ at: NOW, ifThere: 'compare', newCodes: false, withRetired: false },
      onRejected: ({ reason }) => expect(reason).toBe(''),
    });
    expect(counts.created).toBe(24);
    expect(written).toEqual([5_000, 5_000, 2_000]);
  });

  test('a deleted import leaves nothing behind', async () => {
    const one = await putOne({ selections: [selection(1, true)] });
    expect(await storage.users.delete(appId, one.newUserId)).toBe('deleted');
    expect(await stored(one.clientUserId)).toBeUndefined();
    expect(await storage.selections.list(one.newUserId)).toEqual([]);
    expect(await put([one])).toEqual(['created']);
  });
});
