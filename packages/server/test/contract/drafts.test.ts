import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { CatalogItem, DraftChange, DraftRecord, Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { createApplication, NOW, tally, times } from './examples.ts';

const item = (document: string, itemUid: string = randomUUID()): CatalogItem => ({
  itemUid,
  kind: 'group',
  groupUid: null,
  keyNo: null,
  document,
});

const record = (given: Partial<DraftRecord> = {}): DraftRecord => ({
  draftId: randomUUID(),
  version: 1,
  baseRevision: 0,
  languages: '["en"]',
  createdBy: 'Åsa',
  createdAt: NOW,
  updatedBy: 'Åsa',
  updatedAt: NOW,
  authors: ['Åsa'],
  ...given,
});

const change = (appId: number, draft: DraftRecord, given: Partial<DraftChange> = {}): DraftChange => ({
  appId,
  draft,
  items: [],
  removed: [],
  edit: { kind: 'edit', difference: `["${draft.version}"]`, inverse: `{"of":${draft.version}}` },
  ...given,
});

const publication = (appId: number, revision: number) => ({
  appId,
  revision,
  createdAt: NOW + revision,
  author: 'x',
  authors: ['x'],
  difference: '[]',
  languages: '[]',
  items: [],
  changes: 1,
  breaking: false,
});

describe.each(databases)('drafts on $kind', (database) => {
  let storage: Storage;
  let other: Storage;
  beforeAll(async () => {
    const driver = await storageDriver(await database.fresh());
    storage = await driver.open();
    other = await driver.open();
  });
  afterAll(() => Promise.all([storage.close(), other.close()]));

  test('there is none at first, nor for something that does not exist', async () => {
    for (const appId of [await createApplication(storage), 1]) {
      expect(await storage.drafts.look(appId)).toEqual({ revision: 0, publishedAt: 0, draft: undefined });
      expect(await storage.drafts.load(appId)).toBeUndefined();
    }
    expect(await storage.drafts.save(change(1, record()))).toBe('application-gone');
    expect(await storage.drafts.discard(1, record())).toBe('conflict');
  });

  test('a saved draft is loaded, with the items saved and not removed since', async () => {
    const appId = await createApplication(storage);
    const first = record();
    const [one, two] = [item('{"name":"Zoë 🦊"}'), item('{"n":2}')];
    expect(await storage.drafts.save(change(appId, first, { items: [one, two] }))).toBe('saved');
    expect(await other.drafts.load(appId)).toMatchObject({ ...first, items: expect.arrayContaining([one, two]) });
    const second = { ...first, version: 2, languages: '["de"]', updatedBy: 'Bo', updatedAt: NOW + 5 };
    const changed = item('{"n":3}', one.itemUid);
    expect(await other.drafts.save(change(appId, second, { items: [changed], removed: [two.itemUid] }))).toBe('saved');
    expect(await storage.drafts.load(appId)).toEqual({ ...second, items: [changed] });
    expect(await storage.drafts.look(appId)).toEqual({ revision: 0, publishedAt: 0, draft: second });
  });

  test('a draft starts only from the newest revision', async () => {
    const appId = await createApplication(storage);
    expect(await storage.catalogs.publish(publication(appId, 1))).toBe('published');
    expect(await storage.drafts.save(change(appId, record()))).toBe('conflict');
    expect(await storage.drafts.save(change(appId, record({ baseRevision: 2 })))).toBe('conflict');
    expect(await storage.drafts.save(change(appId, record({ baseRevision: 1 })))).toBe('saved');
    expect(await storage.drafts.look(appId)).toMatchObject({ revision: 1, publishedAt: NOW + 1 });
  });

  test('of many that start or continue one, one succeeds', async () => {
    const appId = await createApplication(storage);
    const begun = await tally(
      times(8, (i) => (i % 2 ? storage : other).drafts.save(change(appId, record({ createdBy: `${i}` })))),
    );
    expect(begun).toEqual({ saved: 1, conflict: 7 });
    const { draft } = await storage.drafts.look(appId);
    const next = { ...(draft as DraftRecord), version: 2 };
    const saved = await tally(
      times(8, (i) => (i % 2 ? storage : other).drafts.save(change(appId, { ...next, updatedBy: `${i}` }))),
    );
    expect(saved).toEqual({ saved: 1, conflict: 7 });
    expect(await storage.drafts.save(change(appId, { ...next, version: 4 }))).toBe('conflict');
    expect(await storage.drafts.save(change(appId, record({ version: 3 })))).toBe('conflict');
  });

  test('it is published or discarded at its version, with all of its data', async () => {
    const appId = await createApplication(storage);
    const first = record();
    await storage.drafts.save(change(appId, first, { items: [item('{}')] }));
    const stale = { ...first, version: 2 };
    expect(await storage.catalogs.publish({ ...publication(appId, 1), draft: stale })).toBe('conflict');
    expect(await storage.drafts.discard(appId, { ...first, draftId: randomUUID() })).toBe('conflict');
    expect(await storage.catalogs.load(appId)).toMatchObject({ revision: 0 });
    const ended = await Promise.all([
      storage.catalogs.publish({ ...publication(appId, 1), draft: first }),
      other.drafts.discard(appId, first),
    ]);
    expect(ended).toContain('conflict');
    expect(await storage.drafts.load(appId)).toBeUndefined();
    const { revision } = await storage.drafts.look(appId);
    const second = record({ baseRevision: revision });
    expect(await storage.drafts.save(change(appId, second))).toBe('saved');
    expect(await storage.drafts.load(appId)).toEqual({ ...second, items: [] });
    expect(await storage.drafts.edits(appId, first.draftId, 0)).toEqual([]);
  });

  test('the last hundred edits are stored, and which were undone', async () => {
    const appId = await createApplication(storage);
    const first = record();
    await storage.drafts.save(change(appId, first));
    const save = (version: number, kind: 'edit' | 'undo' | 'redo', spends?: number) =>
      storage.drafts.save(
        change(
          appId,
          { ...first, version, updatedBy: `by ${version}` },
          {
            edit: { kind, difference: `["${version}"]`, inverse: `{"of":${version}}` },
            ...(spends !== undefined && { spends }),
          },
        ),
      );
    await save(2, 'edit');
    await save(3, 'undo', 2);
    const reported = async () =>
      (await storage.drafts.edits(appId, first.draftId, 0)).map(({ version, kind, spent }) => [version, kind, spent]);
    expect(await reported()).toEqual([
      [3, 'undo', false],
      [2, 'edit', true],
      [1, 'edit', false],
    ]);
    await save(4, 'redo', 3);
    await save(5, 'undo', 4);
    await save(6, 'edit');
    expect(await reported()).toEqual([
      [6, 'edit', false],
      [5, 'undo', true],
      [4, 'redo', true],
      [3, 'undo', true],
      [2, 'edit', true],
      [1, 'edit', false],
    ]);
    expect(await storage.drafts.edits(appId, first.draftId, 5)).toEqual([
      { version: 6, kind: 'edit', author: 'by 6', at: NOW, difference: '["6"]', spent: false },
    ]);
    expect(await storage.drafts.inverse(appId, { ...first, version: 4 })).toBe('{"of":4}');
    expect(await storage.drafts.inverse(appId, { draftId: randomUUID(), version: 4 })).toBeUndefined();
    for (const version of times(100, (i) => i + 7)) await save(version, 'edit');
    const kept = await reported();
    expect([kept.length, kept[0]?.[0], kept.at(-1)?.[0]]).toEqual([100, 106, 7]);

    // Undo and redo never push edits out of the hundred that are kept.
    let version = 106;
    const left = async (kinds: string[]) =>
      (await reported()).filter(([, kind, spent]) => kinds.includes(kind as string) && !spent);
    for (const _ of times(60, String)) {
      const [[last] = []] = await left(['edit', 'redo']);
      await save(++version, 'undo', last as number);
      await save(++version, 'redo', version - 1);
    }
    for (const _ of times(100, String)) {
      const [[last] = []] = await left(['edit', 'redo']);
      await save(++version, 'undo', last as number);
    }
    expect([(await left(['edit', 'redo'])).length, (await left(['undo'])).length]).toEqual([0, 100]);
    expect((await reported()).length).toBeLessThanOrEqual(200);
  });

  test('it is deleted with its application', async () => {
    const appId = await createApplication(storage);
    await storage.drafts.save(change(appId, record(), { items: [item('{}')] }));
    expect(await storage.applications.delete(appId)).toBe('deleted');
    expect(await storage.drafts.load(appId)).toBeUndefined();
  });
});
