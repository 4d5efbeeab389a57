import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { SelectionAuthMethod, SelectionRecord, Storage, ValuePage, WantedChange } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { ALL, accessToken, createApplication, createUser, NOW, times } from './examples.ts';

type Wanted = WantedChange & Pick<SelectionRecord, 'texts'>;
const selection = (keyNo: number, value: unknown, given: Partial<Wanted> = {}): Wanted => ({
  selectionId: randomUUID(),
  keyNo,
  revision: 1,
  value: JSON.stringify(value),
  language: null,
  texts: null,
  ...given,
});

const change = (at = NOW, authMethod: SelectionAuthMethod = 'user_uid') => ({ at, authMethod });

describe.each(databases)('selections on $kind', (database) => {
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

  const createdUser = async (): Promise<string> => (await createUser(storage, appId)).userId;
  const save = async (
    userId: string,
    selections: WantedChange[],
    at = NOW,
    replica = storage,
  ): Promise<SelectionRecord[]> => {
    const saved = await replica.selections.save(appId, userId, selections, change(at));
    if (saved.outcome !== 'saved') throw new Error(saved.outcome);
    return saved.records;
  };

  test('a saved selection is returned and listed', async () => {
    const userId = await createdUser();
    const text = selection(7, 'Zoë 🦊 "\\{},\u0000\ud800', { language: 'es', texts: '{"de":"Ä"}', revision: 12 });
    const [record] = await save(userId, [text]);
    expect(record).toEqual({ ...text, version: 1, createdAt: NOW, updatedAt: NOW });
    const flag = selection(2, true);
    await save(userId, [flag], NOW + 1);
    expect(await other.selections.list(userId)).toEqual([
      { ...flag, version: 1, createdAt: NOW + 1, updatedAt: NOW + 1 },
      { ...text, version: 1, createdAt: NOW, updatedAt: NOW },
    ]);
    expect(await storage.selections.list(randomUUID())).toEqual([]);
  });

  test("a token's owner is listed with their selections while the token is valid", async () => {
    const { userId, specialToken } = await createUser(storage, appId);
    const token = accessToken();
    await storage.tokens.exchange(specialToken.tokenHash, NOW, token);
    const ofToken = (now = NOW) => other.selections.listOfToken(token.tokenId, now);
    const owner = await storage.tokens.findOwner(token.tokenId, NOW);
    expect(await ofToken()).toEqual({ ...owner, selections: [] });
    await save(userId, [
      selection(7, 'Zoë 🦊 "\\{},\u0000\ud800', { language: 'es', revision: 12 }),
      selection(2, true),
    ]);
    expect(await ofToken()).toEqual({ ...owner, selections: await storage.selections.list(userId) });
    expect(await ofToken(token.expiresAt)).toBeUndefined();
    await storage.tokens.revoke(appId, token.tokenId);
    expect(await ofToken()).toBeUndefined();
  });

  test('a user is listed with their selections, of all keys or of one', async () => {
    const { userId } = await createUser(storage, appId);
    const ofUser = (keyNo?: number) => other.selections.listOfUser(appId, userId, keyNo);
    const user = await storage.users.find(appId, userId);
    expect(await ofUser()).toEqual({ ...user, selections: [] });
    await save(userId, [
      selection(7, 'Zoë 🦊 "\\{},\u0000\ud800', { language: 'es', revision: 12 }),
      selection(2, true),
    ]);
    const selections = await storage.selections.list(userId);
    expect(await ofUser()).toEqual({ ...user, selections });
    expect(await ofUser(7)).toEqual({ ...user, selections: selections.filter(({ keyNo }) => keyNo === 7) });
    expect(await ofUser(3)).toEqual({ ...user, selections: [] });
    expect(await other.selections.listOfUser(appId + 1, userId)).toBeUndefined();
    expect(await other.selections.listOfUser(appId, randomUUID())).toBeUndefined();
  });

  test('saving a key again keeps its selectionId and creation time', async () => {
    const userId = await createdUser();
    const first = selection(1, 'blue', { language: 'en' });
    await save(userId, [first]);
    const next = selection(1, ['red', 'blue'], { revision: 3 });
    const expected = { ...next, selectionId: first.selectionId, version: 2, createdAt: NOW, updatedAt: NOW + 5 };
    expect(await save(userId, [next], NOW + 5)).toEqual([expected]);
    expect(await storage.selections.list(userId)).toEqual([expected]);
  });

  test('many are saved at once, new and replaced, and returned in the given order', async () => {
    const userId = await createdUser();
    const old = selection(50, 'old');
    await save(userId, [old]);
    const many = [90, 50, 3, 70].map((keyNo) =>
      selection(keyNo, `value ${keyNo}`, { language: keyNo > 60 ? 'de' : null }),
    );
    const records = await save(userId, many, NOW + 1);
    expect(records).toEqual(
      many.map((each) =>
        each.keyNo === 50
          ? { ...each, selectionId: old.selectionId, version: 2, createdAt: NOW, updatedAt: NOW + 1 }
          : { ...each, version: 1, createdAt: NOW + 1, updatedAt: NOW + 1 },
      ),
    );
    expect(await storage.selections.list(userId)).toEqual(records.toSorted((a, b) => a.keyNo - b.keyNo));
    expect(await save(userId, [])).toEqual([]);
    expect(
      await save(
        userId,
        times(500, (i) => selection(i, i)),
      ),
    ).toHaveLength(500);
  });

  test('all or none: one that cannot be saved fails the others', async () => {
    const userId = await createdUser();
    const kept = selection(1, 'kept');
    await save(userId, [kept]);
    const bad = selection(9, 'bad', { revision: null as unknown as number });
    await expect(storage.selections.save(appId, userId, [selection(1, 'new'), bad], change())).rejects.toThrow();
    expect(await storage.selections.list(userId)).toEqual([{ ...kept, version: 1, createdAt: NOW, updatedAt: NOW }]);
    expect((await storage.selections.history(userId, ALL, kept.selectionId)).items).toHaveLength(1);
  });

  test('a missing user, or one of another application, is reported as gone', async () => {
    const gone = { outcome: 'user-gone' };
    const userId = await createdUser();
    const elsewhere = await createApplication(storage);
    for (const selections of [[selection(1, true)], [selection(1, true), selection(2, true)], []]) {
      expect(await storage.selections.save(appId, randomUUID(), selections, change())).toEqual(gone);
      expect(await storage.selections.save(elsewhere, userId, selections, change())).toEqual(gone);
    }
    expect(await storage.selections.list(userId)).toEqual([]);
    expect(await storage.selections.unset(randomUUID(), randomUUID(), change())).toBe('unknown');
  });

  test('unset removes one selection, and the next save is a new one', async () => {
    const userId = await createdUser();
    const [first, second] = [selection(1, 'a'), selection(2, 'b')];
    await save(userId, [first, second]);
    const stranger = await createdUser();
    expect(await storage.selections.unset(stranger, first.selectionId, change())).toBe('unknown');
    expect(await storage.selections.unset(userId, randomUUID(), change())).toBe('unknown');
    expect(await storage.selections.unset(userId, first.selectionId, change())).toBe('unset');
    expect(await storage.selections.unset(userId, first.selectionId, change())).toBe('unknown');
    expect(await storage.selections.list(userId)).toMatchObject([{ keyNo: 2 }]);
    const saved = selection(1, 'c');
    expect(await save(userId, [saved], NOW + 9)).toEqual([
      { ...saved, version: 1, createdAt: NOW + 9, updatedAt: NOW + 9 },
    ]);
  });

  test('an unchanged save gets a new revision and time, and no history', async () => {
    const userId = await createdUser();
    const first = selection(1, 'a', { language: 'en', texts: '{"de":"b"}' });
    await save(userId, [first]);
    const [again] = await save(userId, [{ ...first, selectionId: randomUUID(), revision: 7 }], NOW + 5);
    expect(again).toEqual({ ...first, revision: 7, version: 1, createdAt: NOW, updatedAt: NOW + 5 });
    expect(await storage.selections.list(userId)).toEqual([again]);
    const total = async () => (await storage.selections.history(userId, ALL, first.selectionId)).total;
    expect(await total()).toBe(1);
    for (const [more, version] of [
      [{ texts: '{"de":"c"}' }, 2],
      [{ texts: null }, 3],
      [{ language: 'de' }, 4],
    ] as const) {
      const [record] = await save(userId, [{ ...first, ...more }]);
      expect([record?.version, await total()]).toEqual([version, version]);
    }
  });

  test('a failed expectation prevents the whole act', async () => {
    const userId = await createdUser();
    const [held] = await save(userId, [selection(1, 'held', { language: 'en' })]);
    const seen = { selectionId: held?.selectionId ?? '', version: 1 };
    const outcome = async (wanted: Partial<Wanted>, keyNo = 1) => {
      const selections = [selection(9, 'beside'), selection(keyNo, 'new', { language: 'en', ...wanted })];
      const { outcome: reported } = await storage.selections.save(appId, userId, selections, change());
      const saved = (await storage.selections.list(userId)).map((record) => record.value);
      return [reported, saved.includes('"beside"')];
    };
    const changed = ['changed', false];
    expect(await outcome({ expected: null })).toEqual(changed);
    expect(await outcome({ expected: { ...seen, version: 2 } })).toEqual(changed);
    expect(await outcome({ expected: { ...seen, selectionId: randomUUID() } })).toEqual(changed);
    expect(await outcome({ expected: seen }, 2)).toEqual(changed);
    expect(await outcome({ expected: 'own-text', language: 'de' })).toEqual(changed);
    expect(await outcome({ expected: 'own-text', language: null })).toEqual(changed);
    expect((await storage.selections.history(userId, ALL)).total).toBe(1);
    expect(await outcome({ expected: seen })).toEqual(['saved', true]);
    expect(await outcome({ expected: 'own-text' })).toEqual(['saved', true]);
    expect(await outcome({ expected: null }, 3)).toEqual(['saved', true]);
    expect(await outcome({ expected: 'own-text' }, 4)).toEqual(['saved', true]);
    await save(userId, [selection(4, 'x', { language: 'en', texts: '{"de":"y"}' })]);
    expect(await outcome({ expected: 'own-text' }, 4)).toEqual(['changed', true]);
  });

  test('of many with the same expectation, from any replica, one is saved; the others change nothing', async () => {
    const userId = await createdUser();
    for (let round = 0; round < 3; round++) {
      const held = (await storage.selections.list(userId))[0];
      const expected = held ? { selectionId: held.selectionId, version: held.version } : null;
      const outcomes = await Promise.all(
        times(12, (i) =>
          (i % 2 ? storage : other).selections.save(
            appId,
            userId,
            [selection(5, `${round} ${i}`, { expected }), selection(6, `${round} ${i}`)],
            change(),
          ),
        ),
      );
      expect(outcomes.filter(({ outcome }) => outcome === 'saved')).toHaveLength(1);
      const [five, six] = await storage.selections.list(userId);
      expect([five?.version, five?.value]).toEqual([round + 1, six?.value]);
    }
  });

  test('several keys are unset at once, and the history names the actor', async () => {
    const userId = await createdUser();
    await save(userId, [selection(1, 'a'), selection(2, 'b'), selection(3, 'c')]);
    const by = { actor: 'ada@example.com', appId, keys: ['g.a', 'g.c'] };
    expect(await storage.selections.unsetKeys(userId, [1, 3, 8], { ...change(NOW + 1, 'manage'), by })).toEqual([1, 3]);
    expect(await storage.selections.list(userId)).toMatchObject([{ keyNo: 2 }]);
    expect((await storage.selections.history(userId, { offset: 0, limit: 2 })).items).toMatchObject([
      { keyNo: 1, authMethod: 'manage', actor: 'ada@example.com', fromValue: '"a"', toValue: null },
      { keyNo: 3, authMethod: 'manage', actor: 'ada@example.com', fromValue: '"c"', toValue: null },
    ]);
  });

  test('history before a time is removed, some users at a time', async () => {
    const mine = await createApplication(storage);
    const users = await Promise.all(times(5, (i) => createUser(storage, mine, { clientUserId: `user ${i}` })));
    for (const { userId } of users) {
      for (const at of [1, 2, 3]) await storage.selections.save(mine, userId, [selection(1, at)], change(NOW + at));
    }
    const stranger = await createdUser();
    await save(stranger, [selection(1, 'a')]);
    const removed: number[] = [];
    let after: string | null = null;
    do {
      const done: { removed: number; next: string | null } = await other.selections.purgeHistory(mine, {
        before: NOW + 3,
        after,
        users: 2,
      });
      removed.push(done.removed);
      after = done.next;
    } while (after !== null);
    expect(removed).toEqual([4, 4, 2]);
    for (const { userId } of users) {
      expect((await storage.selections.history(userId, ALL)).items).toMatchObject([{ at: NOW + 3, toValue: '3' }]);
      expect(await storage.selections.list(userId)).toMatchObject([{ value: '3', version: 3 }]);
    }
    expect((await storage.selections.history(stranger, ALL)).total).toBe(1);
  });

  test('the history shows what, when, how and from which value, newest first', async () => {
    const userId = await createdUser();
    const first = selection(4, 'a');
    const { selectionId } = first;
    await storage.selections.save(appId, userId, [first], change(NOW, 'user_uid'));
    await storage.selections.save(appId, userId, [selection(5, 1), selection(4, 'b')], change(NOW, 'access_token'));
    await storage.selections.save(appId, userId, [selection(4, 'c')], change(NOW - 1, 'import'));
    await storage.selections.unset(userId, selectionId, change(NOW, 'manage'));
    await save(userId, [selection(4, 'a life of its own')]);
    const event = { selectionId, keyNo: 4, at: NOW, actor: null, language: null };
    expect((await other.selections.history(userId, ALL, selectionId)).items).toEqual([
      { ...event, authMethod: 'manage', fromValue: '"c"', toValue: null },
      { ...event, authMethod: 'import', fromValue: '"b"', toValue: '"c"', at: NOW - 1 },
      { ...event, authMethod: 'access_token', fromValue: '"a"', toValue: '"b"' },
      { ...event, authMethod: 'user_uid', fromValue: null, toValue: '"a"' },
    ]);
    expect((await storage.selections.history(await createdUser(), ALL, selectionId)).items).toEqual([]);
    expect((await storage.selections.history(userId, ALL, randomUUID())).items).toEqual([]);
  });

  test('values are counted by application and key, in order', async () => {
    const mine = await createApplication(storage);
    const saveFor = async (app: number, keyNo: number, value: unknown): Promise<void> => {
      const { userId } = await createUser(storage, app);
      await storage.selections.save(app, userId, [selection(keyNo, value)], change());
    };
    for (const value of ['b', 'é', 'B', 'b', ['a', 'b'], true, 10, 9]) await saveFor(mine, 1, value);
    await saveFor(mine, 2, 'b');
    await saveFor(appId, 1, 'b');
    const rows = [
      { value: '"B"', count: 1 },
      { value: '"b"', count: 2 },
      { value: '"é"', count: 1 },
      { value: '10', count: 1 },
      { value: '9', count: 1 },
      { value: '["a","b"]', count: 1 },
      { value: 'true', count: 1 },
    ];
    expect(await storage.selections.countByValue(mine, 1, null)).toEqual({ rows, next: null });
    expect(await storage.selections.countByValue(mine, 1, '"é"')).toEqual({ rows: rows.slice(3), next: null });
    expect(await storage.selections.countByValue(mine, 3, null)).toEqual({ rows: [], next: null });
    // A few long values fill a page.
    for (const letter of 'lkjihgfedcba') await saveFor(mine, 4, letter.repeat(400_000));
    const pages: string[] = [];
    for (let after: string | null = null; ; ) {
      const page: ValuePage = await storage.selections.countByValue(mine, 4, after);
      pages.push(page.rows.map(({ value }) => value[1]).join(''));
      if (page.next === null) break;
      after = page.next;
    }
    expect(pages.join('')).toBe('abcdefghijkl');
    expect(pages.length).toBeGreaterThan(1);
  });

  test('a survey shows how many chose what on which day, and how many never did', async () => {
    const mine = await createApplication(storage);
    const day = Math.floor(NOW / 86_400_000);
    const saveOn = async (value: unknown, ...days: number[]): Promise<void> => {
      const { userId } = await createUser(storage, mine);
      for (const each of days) {
        await storage.selections.save(mine, userId, [selection(1, value)], change(each * 86_400_000 + 5));
      }
    };
    await saveOn('a', day - 9);
    await saveOn('b', day - 3);
    await saveOn('a', day - 1);
    // Only the last save of a day counts.
    await saveOn(['a', 'b'], day - 1, day);
    await saveOn('a', day, day);
    await saveOn('a');
    await save(await createdUser(), [selection(1, 'a')]);
    const survey = (keyNo: number, wanted: object) =>
      storage.selections.survey(mine, keyNo, { fromDay: null, days: 1, listed: null, most: 5, ...wanted });
    const listed = ['"b"', '"a"'];
    expect(await survey(1, { fromDay: day - 1, listed })).toEqual({
      users: 6,
      periods: [
        { day: day - 2, total: 2, counts: [1, 1] },
        { day: day - 1, total: 1, counts: [0, 1] },
        { day, total: 2, counts: [1, 2] },
      ],
      common: [],
      different: 0,
    });
    expect(await survey(1, { fromDay: day - 8, days: 7, listed: ['"b"'], most: 1 })).toEqual({
      users: 6,
      periods: [
        { day: day - 9, total: 1, counts: [0, 1] },
        { day: day - 8, total: 1, counts: [1, 0] },
        { day: day - 1, total: 3, counts: [1, 3] },
      ],
      common: [{ value: '"a"', count: 4 }],
      different: 1,
    });
    expect(await survey(1, { fromDay: day, most: 2 })).toEqual({
      users: 6,
      periods: [
        { day: day - 1, total: 3, counts: [] },
        { day, total: 2, counts: [] },
      ],
      common: [
        { value: '"a"', count: 3 },
        { value: '"b"', count: 1 },
      ],
      different: 3,
    });
    const now = { day: 0, total: 5 };
    const nothing = { users: 6, common: [], different: 0 };
    expect(await survey(1, { listed })).toEqual({ ...nothing, periods: [{ ...now, counts: [2, 4] }] });
    expect(await survey(2, { fromDay: day, listed: [], most: 2 })).toEqual({ ...nothing, periods: [] });
  });

  test('a survey counts values of every kind, alone and among others, as they are written', async () => {
    const mine = await createApplication(storage);
    const values = ['=1+1', '"\\\u0001\n\u007f\u2028', '[', 'é😀', true, false, 1, 0.1, 1e21, 1e-7, 123456789.123456];
    for (const held of [...values, values]) {
      const { userId } = await createUser(storage, mine);
      await storage.selections.save(mine, userId, [selection(1, held)], change());
    }
    const listed = values.map((value) => JSON.stringify(value));
    const all = { fromDay: null, days: 1, most: 50 };
    expect(await storage.selections.survey(mine, 1, { ...all, listed })).toEqual({
      users: values.length + 1,
      periods: [{ day: 0, total: values.length + 1, counts: values.map(() => 2) }],
      common: [],
      different: 0,
    });
    const others = await storage.selections.survey(mine, 1, { ...all, listed: [] });
    expect(others.common.map(({ value, count }) => `${count} ${value}`).sort()).toEqual(
      listed.map((each) => `2 ${each}`).sort(),
    );
  });

  test('listed values of several keys are counted together', async () => {
    const mine = await createApplication(storage);
    const saved: [number, unknown][][] = [
      [
        [1, 'a'],
        [2, 'typed'],
        [3, true],
      ],
      [
        [1, ['a', 'b']],
        [2, 'typed too'],
      ],
      [[1, 'gone']],
      [],
    ];
    for (const each of saved) {
      const { userId } = await createUser(storage, mine);
      await storage.selections.save(
        mine,
        userId,
        each.map(([keyNo, value]) => selection(keyNo, value)),
        change(),
      );
    }
    await save(await createdUser(), [selection(1, 'a')]);
    const keys = [
      { keyNo: 3, listed: ['true', 'false'] },
      { keyNo: 1, listed: ['"b"', '"a"', '"never"'] },
      { keyNo: 2, listed: [] },
      { keyNo: 4, listed: ['"a"'] },
    ];
    const shares: number[] = [];
    const reading = { onProgress: (share: number) => void shares.push(share), signal: new AbortController().signal };
    expect(await storage.selections.countListed(mine, keys, reading)).toEqual([
      { total: 1, counts: [1, 0] },
      { total: 3, counts: [1, 2, 0] },
      { total: 2, counts: [] },
      { total: 0, counts: [0] },
    ]);
    expect(shares.length).toBeGreaterThan(0);
    expect(shares.every((share) => share >= 0 && share <= 1)).toBe(true);
    const values = ['=1+1', '"\\\u0001\n\u007f\u2028', '[', 'é😀', 1, 0.1, 1e21, 1e-7, 123456789.123456];
    for (const held of [...values, values]) {
      const { userId } = await createUser(storage, mine);
      await storage.selections.save(mine, userId, [selection(5, held)], change());
    }
    const listed = values.map((value) => JSON.stringify(value));
    expect(await storage.selections.countListed(mine, [{ keyNo: 5, listed }], reading)).toEqual([
      { total: values.length + 1, counts: values.map(() => 2) },
    ]);
  });

  test('an aborted count ends with the reason, and the next one works', async () => {
    const aborted = { onProgress: () => {}, signal: AbortSignal.abort(new Error('gone')) };
    const keys = [{ keyNo: 1, listed: ['"a"'] }];
    await expect(storage.selections.countListed(appId, keys, aborted)).rejects.toThrow('gone');
    const reading = { ...aborted, signal: new AbortController().signal };
    expect(await storage.selections.countListed(appId, keys, reading)).toHaveLength(1);
  });

  test('50 concurrent saves of one key: one record, and a history without gaps', async () => {
    for (const _ of times(5, String)) {
      const userId = await createdUser();
      const records = await Promise.all(
        times(50, (i) => save(userId, [selection(1, i)], NOW, i % 2 ? storage : other)),
      );
      const ids = new Set(records.map(([record]) => record?.selectionId));
      expect(ids.size).toBe(1);
      const [selectionId = ''] = ids;
      const [stored, ...more] = await storage.selections.list(userId);
      expect(more).toEqual([]);
      const history = (await storage.selections.history(userId, ALL, selectionId)).items.toReversed();
      expect(new Set(history.map(({ toValue }) => toValue)).size).toBe(50);
      // Each entry starts from the value of the previous one.
      expect(history.map(({ fromValue }) => fromValue)).toEqual([null, ...history.slice(0, -1).map((e) => e.toValue)]);
      expect(stored?.value).toBe(history.at(-1)?.toValue);
    }
  });

  test('saving the same keys concurrently, in any order, leaves one save complete', async () => {
    const userId = await createdUser();
    await Promise.all(
      times(40, (i) => {
        const keys = times(10, (keyNo) => selection(keyNo, i));
        return save(userId, i % 2 ? keys : keys.toReversed(), NOW, i % 3 ? storage : other);
      }),
    );
    const records = await storage.selections.list(userId);
    expect(records).toHaveLength(10);
    expect(new Set(records.map(({ value }) => value)).size).toBe(1);
    const histories = await Promise.all(
      records.map(({ selectionId }) => storage.selections.history(userId, ALL, selectionId)),
    );
    expect(histories.map(({ total }) => total)).toEqual(times(10, () => 40));
  });

  test('saving and unsetting concurrently: each history is complete', async () => {
    for (const _ of times(10, String)) {
      const userId = await createdUser();
      const acts = times(10, async (i) => {
        const [record] = await save(userId, [selection(1, i)], NOW, i % 2 ? storage : other);
        const selectionId = record?.selectionId ?? '';
        await (i % 3 ? storage : other).selections.unset(userId, selectionId, change());
        return selectionId;
      });
      const ids = new Set(await Promise.all(acts));
      expect(await storage.selections.list(userId)).toEqual([]);
      let saves = 0;
      for (const selectionId of ids) {
        const events = (await storage.selections.history(userId, ALL, selectionId)).items.toReversed();
        expect(events.map(({ fromValue }) => fromValue)).toEqual([null, ...events.slice(0, -1).map((e) => e.toValue)]);
        expect(events.filter(({ toValue }) => toValue === null)).toHaveLength(1);
        saves += events.length - 1;
      }
      expect(saves).toBe(10);
    }
  });

  test('saves while their user is deleted leave nothing behind', async () => {
    for (const _ of times(25, String)) {
      const userId = await createdUser();
      const seed = selection(0, 'seed');
      await save(userId, [seed]);
      const act = (i: number) =>
        (i % 2 ? storage : other).selections.save(
          appId,
          userId,
          [selection(0, i), selection(i, i)].slice(i === 0 ? 1 : 0),
          change(),
        );
      const early = times(10, act);
      const unsetting = other.selections.unset(userId, seed.selectionId, change());
      expect(await storage.users.delete(appId, userId)).toBe('deleted');
      const late = await Promise.all(times(5, act));
      expect(new Set(late.map(({ outcome }) => outcome))).toEqual(new Set(['user-gone']));
      for (const { outcome } of await Promise.all(early)) expect(outcome).toMatch(/^(saved|user-gone)$/);
      expect(await unsetting).toMatch(/^(unset|unknown)$/);
      expect(await storage.selections.list(userId)).toEqual([]);
      expect((await storage.selections.history(userId, ALL, seed.selectionId)).items).toEqual([]);
    }
    expect(await orphans()).toBe(0);
  });

  test('a deleted application loses its selections', async () => {
    const doomed = await createApplication(storage);
    const { userId } = await createUser(storage, doomed);
    const first = selection(1, true);
    await storage.selections.save(doomed, userId, [first], change());
    await storage.applications.delete(doomed);
    expect(await storage.selections.list(userId)).toEqual([]);
    expect((await storage.selections.history(userId, ALL, first.selectionId)).items).toEqual([]);
    expect((await storage.selections.countByValue(doomed, 1, null)).rows).toEqual([]);
    expect(await orphans()).toBe(0);
  });

  /** Counts rows of deleted users, directly in the database. */
  async function orphans(): Promise<number> {
    await database.execute(
      url,
      `insert into facts (name, value)
       select 'orphans', cast((select count(*) from selections where user_id not in (select user_id from users))
         + (select count(*) from selection_events where user_id not in (select user_id from users)) as text)
       where true on conflict (name) do update set value = excluded.value`,
    );
    return Number(await storage.facts.get('orphans'));
  }
});
