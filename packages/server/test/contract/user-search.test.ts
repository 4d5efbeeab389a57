import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FoundUsers, foldCase, type SearchPlace, searchUsers } from '../../src/domain/users/search-users.ts';
import { storageDriver } from '../../src/storage/open.ts';
import { endOfPrefix } from '../../src/storage/pages.ts';
import type { EventPage, HistoryPlace, SelectionEvent, Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { accessToken, createApplication, createUser, hash, MINUTE, NOW, times } from './examples.ts';

describe.each(databases)('searching users on $kind', (database) => {
  let storage: Storage;
  let url: string;
  let appId: number;
  beforeAll(async () => {
    url = await database.fresh();
    storage = await (await storageDriver(url)).open();
    appId = await createApplication(storage);
    const other = await createApplication(storage);
    for (const [clientUserId, clientUserName] of USERS) {
      await createUser(storage, appId, { clientUserId, clientUserName });
      await createUser(storage, other, { clientUserId, clientUserName });
    }
    // A profile without a user is not found.
    const orphan = await createUser(storage, appId, { clientUserId: 'ab-orphan', clientUserName: 'Orphan' });
    await database.execute(url, `delete from users where client_user_id = '${orphan.clientUserId}'`);
  });
  afterAll(() => storage.close());

  const USERS = [
    ['B-upper', 'Bea'],
    ['a%', 'Percent % sign'],
    ['ab', 'Åsa Öberg'],
    ['ab1', 'ANNA'],
    ['ab2', 'Hannah'],
    ['a\u{10ffff}', 'last'],
    ['b', '<script>alert(1)</script>'],
    ['é', 'Élodie'],
    ['😀', 'Emoji'],
  ] as const;
  const byBytes = [...USERS.map(([id]) => id)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const ids = (users: { clientUserId: string }[]) => users.map(({ clientUserId }) => clientUserId);

  test('pages cover all users once, in byte order', async () => {
    expect(ids(await storage.users.page(appId, { after: null, limit: 100 }))).toEqual(byBytes);
    const seen: string[] = [];
    for (let after: string | null = null; ; ) {
      const users: { clientUserId: string }[] = await storage.users.page(appId, { after, limit: 2 });
      if (users.length === 0) break;
      seen.push(...ids(users));
      after = users.at(-1)?.clientUserId ?? null;
    }
    expect(seen).toEqual(byBytes);
    expect((await storage.users.page(appId, { after: null, limit: 1 }))[0]).toMatchObject({
      appId,
      clientUserName: 'Bea',
      createdAt: NOW,
    });
  });

  test.each(['a', 'ab', 'ab1', 'a%', 'B', 'é', '😀', 'a\u{10ffff}', 'zzz', '_', '\u{10ffff}'])(
    'the prefix %j finds exact prefixes only',
    async (prefix) => {
      const found = await storage.users.page(appId, { after: null, limit: 100, prefix });
      expect(ids(found)).toEqual(byBytes.filter((id) => id.startsWith(prefix)));
      const rest = await storage.users.page(appId, { after: found[0]?.clientUserId ?? null, limit: 100, prefix });
      expect(ids(rest)).toEqual(ids(found).slice(1));
    },
  );

  test('a text is found anywhere in an id or name, ignoring case, the same on every database', async () => {
    const search = async (contains: string) => {
      const { users, next } = await searchUsers(storage.users, appId, contains, { place: undefined, limit: 100 });
      expect(next).toBeNull();
      return ids(users);
    };
    expect(await search('anna')).toEqual(['ab1', 'ab2']);
    expect(await search('ANN')).toEqual(['ab1', 'ab2']);
    expect(await search('öBERG')).toEqual(['ab']);
    expect(await search('élodie')).toEqual(['é']);
    expect(await search('E\u0301LODIE')).toEqual(['é']);
    expect(await search('%')).toEqual(['a%']);
    expect(await search('_')).toEqual([]);
    expect(await search('B')).toEqual(['B-upper', 'ab', 'ab1', 'ab2', 'b']);
    expect(await search('UPPER')).toEqual(['B-upper']);
    expect(await search('É')).toEqual(['é']);
    expect(await search("'; drop table users --")).toEqual([]);
    expect(await search('Orphan')).toEqual([]);
  });

  test.each([
    ['STRASSE', 'straße'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['ĲSSEL', 'ĳssel'],
    ['ﬁnn', 'FINN'],
  ])('%s and %s differ only in case', (one, other) => {
    expect(foldCase(one)).toBe(foldCase(other));
  });

  test.each([1, 2, 3])('pages of %i are full until the last, which is never empty', async (limit) => {
    for (const search of ['a', 'ab', 'e', 'an', 'ANN', 'zzz', '']) {
      const whole = await searchUsers(storage.users, appId, search, { place: undefined, limit: 100 });
      const seen: string[] = [];
      for (let place: SearchPlace | undefined; ; ) {
        const page: FoundUsers = await searchUsers(storage.users, appId, search, { place, limit });
        seen.push(...ids(page.users));
        if (page.next === null) break;
        expect(page.users).toHaveLength(limit);
        place = page.next;
      }
      expect({ search, seen }).toEqual({ search, seen: ids(whole.users) });
      // A page with a `next` is always followed by a user.
      if (seen.length % limit === 0 && seen.length > 0) expect(seen.length).toBe(whole.users.length);
    }
  });

  test.each([1, 2, 100])('a search that scans %i at a time finds the same, in possibly short pages', async (atMost) => {
    for (const search of ['a', 'ANN', 'zzz']) {
      const whole = await searchUsers(storage.users, appId, search, { place: undefined, limit: 100 });
      const seen: string[] = [];
      for (let place: SearchPlace | undefined; ; ) {
        const page: FoundUsers = await searchUsers(storage.users, appId, search, { place, limit: 3, atMost });
        expect(page.looked).toBeLessThanOrEqual(atMost);
        seen.push(...ids(page.users));
        if (page.next === null) break;
        place = page.next;
      }
      expect({ search, seen }).toEqual({ search, seen: ids(whole.users) });
    }
  });

  test("a user's valid tokens are listed, newest first", async () => {
    const { userId, specialToken, clientUserId } = await createUser(storage, appId, { clientUserId: 'zz-tokens' });
    const tokens = [
      accessToken({ issuedAt: NOW - 3 * MINUTE, expiresAt: NOW + MINUTE }),
      accessToken({ tokenId: hash(), issuedAt: NOW - 2 * MINUTE, expiresAt: NOW + 5 * MINUTE }),
      accessToken({ issuedAt: NOW - MINUTE, expiresAt: NOW }),
    ];
    let special = specialToken;
    for (const token of tokens) {
      await storage.tokens.exchange(special.tokenHash, NOW, token);
      special = { tokenHash: hash(), expiresAt: NOW + MINUTE };
      await storage.tokens.replaceSpecialToken(appId, clientUserId, special);
    }
    expect(await storage.tokens.list(userId, NOW)).toEqual([tokens[1], tokens[0]]);
    await storage.tokens.revoke(appId, tokens[1]?.tokenId as string);
    expect(await storage.tokens.list(userId, NOW)).toEqual([tokens[0]]);
  });

  test("a user's whole history is paged, newest first, including unset values", async () => {
    const { userId } = await createUser(storage, appId, { clientUserId: 'zz-history' });
    expect(await storage.selections.history(userId, { offset: 0, limit: 10 })).toEqual({ total: 0, items: [] });
    const save = async (keyNo: number, value: string, at: number) => {
      const selectionId = `00000000-0000-4000-8000-00000000000${keyNo}`;
      const selection = { selectionId, keyNo, revision: 1, value, language: null };
      await storage.selections.save(appId, userId, [selection], { at, authMethod: 'manage' });
      return selectionId;
    };
    const first = await save(1, '"a"', NOW);
    const second = await save(2, '2', NOW + 1);
    await save(1, '"b"', NOW + 2);
    await storage.selections.unset(userId, second, { at: NOW + 3, authMethod: 'access_token' });
    const byNobody = { actor: null, language: null };
    const { total, items } = await storage.selections.history(userId, { offset: 0, limit: 10 });
    expect(total).toBe(4);
    expect(items).toEqual([
      {
        selectionId: second,
        keyNo: 2,
        at: NOW + 3,
        authMethod: 'access_token',
        ...byNobody,
        fromValue: '2',
        toValue: null,
      },
      {
        selectionId: first,
        keyNo: 1,
        at: NOW + 2,
        authMethod: 'manage',
        ...byNobody,
        fromValue: '"a"',
        toValue: '"b"',
      },
      { selectionId: second, keyNo: 2, at: NOW + 1, authMethod: 'manage', ...byNobody, fromValue: null, toValue: '2' },
      { selectionId: first, keyNo: 1, at: NOW, authMethod: 'manage', ...byNobody, fromValue: null, toValue: '"a"' },
    ]);
    expect(await storage.selections.history(userId, { offset: 1, limit: 2 })).toEqual({
      total,
      items: items.slice(1, 3),
    });
    expect(await storage.selections.history(userId, { offset: 9, limit: 2 })).toEqual({ total, items: [] });
  });

  test('pages of large selections and changes end early, and walks miss nothing', async () => {
    const { userId } = await createUser(storage, appId, { clientUserId: 'zz-large' });
    const [large, count] = [`"${'x'.repeat(400_000)}"`, 5];
    for (let keyNo = 1; keyNo <= count; keyNo++) {
      const selection = { selectionId: randomUUID(), keyNo, revision: 1, value: large, language: null };
      await storage.selections.save(appId, userId, [selection], { at: NOW + keyNo, authMethod: 'manage' });
      await storage.selections.save(appId, userId, [{ ...selection, value: '1' }], {
        at: NOW + keyNo,
        authMethod: 'manage',
      });
      await storage.selections.save(appId, userId, [selection], { at: NOW + keyNo, authMethod: 'manage' });
    }
    const { items, total } = await storage.selections.history(userId, { offset: 0, limit: 100 });
    expect([items.length, total]).toEqual([3, 3 * count]);
    const { items: rest } = await storage.selections.history(userId, { offset: 3, limit: 2 });
    expect(rest).toHaveLength(2);

    const walked: (SelectionEvent & HistoryPlace)[] = [];
    for (let after: HistoryPlace | null = null; ; after = walked.at(-1) ?? null) {
      const page = await storage.selections.walkHistory(userId, after);
      expect(page.length).toBeLessThan(4);
      if (page.length === 0) break;
      walked.push(...page);
    }
    const places = walked.map(({ selectionId, eventNo }) => `${selectionId} ${String(eventNo).padStart(3, '0')}`);
    expect(places).toEqual([...new Set(places)].toSorted().toReversed());
    expect(walked).toHaveLength(3 * count);
    expect(walked[0]).toMatchObject({ fromValue: '1', toValue: large, authMethod: 'manage' });

    const keys: number[] = [];
    for (;;) {
      const page = await storage.selections.walk(userId, keys.at(-1) ?? 0);
      expect(page.length).toBeLessThan(4);
      if (page.length === 0) break;
      expect(page[0]).toMatchObject({ value: large, authMethod: 'manage', shownIn: null, version: 3 });
      keys.push(...page.map(({ keyNo }) => keyNo));
    }
    expect(keys).toEqual([1, 2, 3, 4, 5]);

    const types = ['selection.saved'] as const;
    const seen: number[] = [];
    for (let from: number | 'start' = 'start'; ; ) {
      const page: EventPage = await storage.events.read(appId, from, { limit: 100, types });
      if (page.outcome !== 'read') throw new Error('nothing was purged');
      const own = page.items.filter((event) => event.userId === userId);
      expect(own.length).toBeLessThan(5);
      seen.push(...own.map(({ no }) => no));
      from = page.next;
      if (!page.more) break;
    }
    expect(seen).toHaveLength(3 * count);
  });
});

test('the end of a prefix comes right after everything with that prefix', () => {
  expect(endOfPrefix('ab')).toBe('ac');
  expect(endOfPrefix('a\u{10ffff}')).toBe('b');
  expect(endOfPrefix('a\ud7ff')).toBe('a\ue000');
  expect(endOfPrefix('\u{10ffff}\u{10ffff}')).toBeUndefined();
  expect(times(3, () => endOfPrefix('😀'))[0]).toBe('😁');
});
