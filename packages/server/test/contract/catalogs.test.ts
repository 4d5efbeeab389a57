import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { CatalogItem, Publication, Storage, StoredCatalog } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { createApplication, NOW, tally, times } from './examples.ts';

const NOTHING: StoredCatalog = { revision: 0, languages: '[]', items: [] };

const group = (document = '{"name":"group"}'): CatalogItem => ({
  itemUid: randomUUID(),
  kind: 'group',
  groupUid: null,
  keyNo: null,
  document,
});

const key = (groupUid: string, keyNo: number, document = `{"name":"key ${keyNo}"}`): CatalogItem => ({
  itemUid: randomUUID(),
  kind: 'key',
  groupUid,
  keyNo,
  document,
});

const publication = (
  appId: number,
  revision: number,
  items: CatalogItem[],
  given: Partial<Publication> = {},
): Publication => ({
  appId,
  revision,
  items,
  createdAt: NOW + revision,
  author: 'Åsa Exempel',
  authors: ['Åsa Exempel', 'Bo'],
  difference: `[{"text":"revision ${revision}"}]`,
  languages: '[{"name":"Español","tag":"es"}]',
  changes: 1,
  breaking: false,
  ...given,
});

/** Items are stored without an order. */
const sorted = (catalog: StoredCatalog | undefined): StoredCatalog | undefined =>
  catalog && { ...catalog, items: catalog.items.toSorted((a, b) => (a.itemUid < b.itemUid ? -1 : 1)) };

describe.each(databases)('catalogs on $kind', (database) => {
  let storage: Storage;
  let other: Storage;
  beforeAll(async () => {
    const driver = await storageDriver(await database.fresh());
    storage = await driver.open();
    other = await driver.open();
  });
  afterAll(() => Promise.all([storage.close(), other.close()]));

  test('an application without a catalog has revision 0, and so does one that does not exist', async () => {
    for (const appId of [await createApplication(storage), 1]) {
      expect(await storage.catalogs.load(appId)).toEqual(NOTHING);
      expect(await storage.catalogs.loadAt(appId, 0)).toBeUndefined();
      expect(await storage.catalogs.loadAt(appId, 1)).toBeUndefined();
      expect(await storage.catalogs.revisions(appId, { offset: 0, limit: 10 })).toEqual({ total: 0, items: [] });
    }
  });

  test('a published catalog is loaded', async () => {
    const appId = await createApplication(storage);
    const first = group('{"name":"Zoë 🦊","texts":{"es":"\\"¿\\\\{Qué},?\\""}}');
    const items = [first, key(first.itemUid, 1), key(first.itemUid, 2, '{"pattern":"\\u0000\\ud800\'"}')];
    const languages = '[{"name":"日本語","tag":"ja"}]';
    expect(await storage.catalogs.publish(publication(appId, 1, items, { languages }))).toBe('published');
    const expected = sorted({ revision: 1, languages, items });
    expect(sorted(await storage.catalogs.load(appId))).toEqual(expected);
    expect(sorted(await other.catalogs.loadAt(appId, 1))).toEqual(expected);
  });

  test('every revision can be loaded unchanged after later ones', async () => {
    const appId = await createApplication(storage);
    const first = group();
    const keys = times(5, (i) => key(first.itemUid, i + 1));
    const states: (StoredCatalog | undefined)[] = [];
    const publish = async (items: CatalogItem[], languages: string): Promise<void> => {
      const revision = states.length + 1;
      expect(await storage.catalogs.publish(publication(appId, revision, items, { languages }))).toBe('published');
      states.push(sorted(await storage.catalogs.load(appId)));
    };
    await publish([first, ...keys], '["en"]');
    for (const revision of times(10, (i) => i + 2)) {
      const changed = keys[revision % 5] as CatalogItem;
      await publish([{ ...changed, document: `{"revision":${revision}}` }], `["${revision}"]`);
    }
    await publish([], '["the languages alone"]');
    await publish([key(first.itemUid, 6)], '["a new key"]');

    expect(states.map((state) => [state?.revision, state?.items.length])).toEqual(
      times(13, (i) => [i + 1, i === 12 ? 7 : 6]),
    );
    expect(states[3]?.items.find(({ keyNo }) => keyNo === 5)?.document).toBe('{"revision":4}');
    expect(states[2]?.items.find(({ keyNo }) => keyNo === 5)?.document).toBe('{"name":"key 5"}');
    for (const [index, state] of states.entries()) {
      expect(sorted(await other.catalogs.loadAt(appId, index + 1))).toEqual(state);
    }
    expect(await storage.catalogs.loadAt(appId, 14)).toBeUndefined();
  });

  test('only the revision after the newest is published, and a rejected one changes nothing', async () => {
    const appId = await createApplication(storage);
    const first = group();
    for (const revision of [0, 2, -1]) {
      expect(await storage.catalogs.publish(publication(appId, revision, [first]))).toBe('conflict');
    }
    expect(await storage.catalogs.load(appId)).toEqual(NOTHING);
    expect(await storage.catalogs.publish(publication(appId, 1, [first]))).toBe('published');
    const { version } = await storage.changes.since(0);
    for (const revision of [0, 1, 3]) {
      expect(await storage.catalogs.publish(publication(appId, revision, [{ ...first, document: '"no"' }]))).toBe(
        'conflict',
      );
    }
    expect((await storage.catalogs.load(appId)).items).toEqual([first]);
    expect((await storage.changes.since(0)).version).toBe(version);
  });

  test('an unknown application is reported as gone', async () => {
    expect(await storage.catalogs.publish(publication(1, 1, [group()]))).toBe('application-gone');
    expect(await storage.catalogs.publish(publication(1, 7, []))).toBe('application-gone');
  });

  test('revisions are listed by pages, newest first', async () => {
    const appId = await createApplication(storage);
    const published = times(7, (i) => publication(appId, i + 1, []));
    for (const each of published) await storage.catalogs.publish(each);
    const records = published
      .map(({ revision, createdAt, author, authors, difference }) => ({
        revision,
        createdAt,
        author,
        authors,
        difference,
      }))
      .toReversed();
    const list = (offset: number, limit: number) => storage.catalogs.revisions(appId, { offset, limit });
    expect(await list(0, 50)).toEqual({ total: 7, items: records });
    expect(await list(2, 3)).toEqual({ total: 7, items: records.slice(2, 5) });
    expect(await list(6, 3)).toEqual({ total: 7, items: records.slice(6) });
    expect(await list(7, 3)).toEqual({ total: 7, items: [] });
    expect(await list(0, 0)).toEqual({ total: 7, items: [] });
  });

  test('replicas see a publication', async () => {
    const appId = await createApplication(storage);
    const { version } = await other.changes.since(0);
    await storage.catalogs.publish(publication(appId, 1, [group()]));
    expect(await other.changes.since(version)).toEqual({
      version: version + 1,
      complete: true,
      changes: [{ version: version + 1, subject: 'catalog', appId }],
    });
  });

  test('of many concurrent publications of a revision, one succeeds, and it is complete', async () => {
    const appId = await createApplication(storage);
    const shared = group();
    for (const revision of times(10, (i) => i + 1)) {
      const rivals = times(12, (i) => publication(appId, revision, [{ ...shared, document: `"${revision} by ${i}"` }]));
      const outcomes = rivals.map((rival, i) => (i % 2 ? storage : other).catalogs.publish(rival));
      expect(await tally(outcomes)).toEqual({ published: 1, conflict: 11 });
      const winner = rivals[(await Promise.all(outcomes)).indexOf('published')];
      expect(await storage.catalogs.load(appId)).toEqual({
        revision,
        languages: winner?.languages,
        items: winner?.items,
      });
    }
    expect((await storage.catalogs.revisions(appId, { offset: 0, limit: 1 })).total).toBe(10);
  });

  test('revision and items are consistent, also when read during publications', async () => {
    const appId = await createApplication(storage);
    const items = times(20, () => group());
    const stamped = (revision: number): Publication =>
      publication(
        appId,
        revision,
        items.map((item) => ({ ...item, document: String(revision) })),
        { languages: String(revision) },
      );
    await storage.catalogs.publish(stamped(1));
    const publishing = (async () => {
      for (const revision of times(30, (i) => i + 2)) await storage.catalogs.publish(stamped(revision));
      return true;
    })();
    for (let done = false, reads = 0; !done || reads < 50; reads++) {
      done = await Promise.race([publishing, new Promise<false>((resolve) => setTimeout(resolve, 1, false))]);
      const { revision, languages, items: found } = await other.catalogs.load(appId);
      expect(new Set([languages, ...found.map(({ document }) => document)])).toEqual(new Set([String(revision)]));
      expect(found).toHaveLength(20);
    }
  });

  test('publishing while the application is deleted: its own catalog or none', async () => {
    for (const _ of times(10, String)) {
      const appId = await createApplication(storage);
      const publishing = times(3, (i) => other.catalogs.publish(publication(appId, 1, [group(`"${i}"`)])));
      expect(await storage.applications.delete(appId)).toBe('deleted');
      for (const outcome of await Promise.all(publishing)) {
        expect(outcome).toMatch(/^(published|conflict|application-gone)$/);
      }
      expect(await storage.catalogs.load(appId)).toEqual(NOTHING);
      expect(await storage.catalogs.loadAt(appId, 1)).toBeUndefined();
    }
  });

  test('applications do not see each other, even with the same items', async () => {
    const [one, two] = [await createApplication(storage), await createApplication(storage)];
    const shared = group();
    await storage.catalogs.publish(publication(one, 1, [shared]));
    await storage.catalogs.publish(publication(two, 1, [{ ...shared, document: '"two"' }]));
    await storage.catalogs.publish(publication(two, 2, [{ ...shared, document: '"two again"' }]));
    expect((await storage.catalogs.load(one)).items).toEqual([shared]);
    await storage.applications.delete(two);
    expect((await storage.catalogs.load(one)).items).toEqual([shared]);
    expect(await storage.catalogs.load(two)).toEqual(NOTHING);
  });

  test('5,000 keys in 20 languages are published and republished in time', async () => {
    const appId = await createApplication(storage);
    const texts = JSON.stringify(Object.fromEntries(times(20, (i) => [`l${i}`, `Übersetzung "${i}" `.repeat(5)])));
    const root = group();
    const keys = times(5000, (i) => key(root.itemUid, i + 1, `{"no":${i},"texts":${texts}}`));
    const started = performance.now();
    expect(await storage.catalogs.publish(publication(appId, 1, [root, ...keys]))).toBe('published');
    const again = keys.map((item) => ({ ...item, document: item.document.replace('{', '{"again":true,') }));
    expect(await storage.catalogs.publish(publication(appId, 2, again))).toBe('published');
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(sorted(await storage.catalogs.load(appId))?.items).toEqual(
      sorted({ ...NOTHING, items: [root, ...again] })?.items,
    );
    expect((await storage.catalogs.loadAt(appId, 1))?.items).toHaveLength(5001);
  });
});
