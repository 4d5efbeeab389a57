import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '../../src/domain/applications/application.ts';
import { type Catalog, readCatalog } from '../../src/domain/catalog/catalog.ts';
import { publishDraft, stepDraft } from '../../src/domain/catalog/draft.ts';
import { applyDefinition, type Edit, editCatalog } from '../../src/domain/catalog/edit-catalog.ts';
import {
  addGroup,
  addKey,
  archiveGroup,
  archiveKey,
  changeGroup,
  changeKey,
} from '../../src/domain/catalog/edits/groups-and-keys.ts';
import { setLanguages } from '../../src/domain/catalog/edits/languages-and-texts.ts';
import { knownOf, readDefinition } from '../../src/domain/catalog/read-definition.ts';
import { toFile } from '../../src/domain/catalog/to-file.ts';
import { InnkeeperError } from '../../src/domain/errors.ts';
import type { Service } from '../../src/domain/service.ts';
import { finish } from '../../src/domain/slices.ts';
import { createUser } from '../contract/examples.ts';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { CatalogModel, type ModelCatalog, type ModelEdit, ModelRefusal } from './catalog-model.ts';

/** CATALOG_SEQUENCES=2000 runs the long form. */
const RUNS = Number(process.env.CATALOG_SEQUENCES ?? 12);
const AUTHOR = 'model';
const HOW = { author: AUTHOR, allowBreaking: true, seen: undefined };

/** The catalog in one of the databases, where items have UIDs. */
class Real {
  readonly uids = new Map<number, string>();
  readonly #service: Service;
  readonly #application: Application;

  constructor(service: Service, application: Application) {
    this.#service = service;
    this.#application = application;
  }

  open = () => this.#service.openCatalogs.open(this.#application.appId);

  stored = async () => finish(readCatalog(await this.#service.storage.catalogs.load(this.#application.appId)));

  run = (edit: Edit, draft: boolean) => editCatalog(this.#service, this.#application, edit, { ...HOW, draft });

  async edit(edit: ModelEdit, draft: boolean): Promise<Catalog> {
    return (await this.run(this.#toEdit(edit), draft)).plan.next;
  }

  step = (kind: 'undo' | 'redo') =>
    stepDraft(this.#service, this.#application, kind, { author: AUTHOR, seen: undefined });

  publish = () => publishDraft(this.#service, this.#application, { ...HOW, over: undefined });

  /** Exports and applies the export, which must not change anything. */
  async applyExport(draft: boolean): Promise<boolean> {
    const { published, draft: open } = await this.open();
    const catalog = (draft ? open?.catalog : undefined) ?? published;
    const read = finish(readDefinition(finish(toFile(catalog)), { known: knownOf(catalog) }));
    if ('problems' in read) throw new Error(JSON.stringify(read.problems));
    const { changed } = await applyDefinition(this.#service, this.#application, read.definition, { ...HOW, draft });
    return changed;
  }

  async save(key: number): Promise<void> {
    const { published } = await this.open();
    const keyNo = published.groups
      .flatMap(({ keys }) => keys)
      .find(({ keyUid }) => keyUid === this.uids.get(key))?.keyNo;
    const { storage } = this.#service;
    const { appId } = this.#application;
    const { userId } = await createUser(storage, appId);
    const what = { keyNo: keyNo as number, revision: published.revision, value: 'true', language: null };
    await storage.selections.save(appId, userId, [{ ...what, selectionId: crypto.randomUUID() }], {
      at: 1,
      authMethod: 'import',
    });
  }

  /** The number of users with a selection, by the key's UID. */
  async counts(): Promise<Record<string, number>> {
    const { published } = await this.open();
    const counts: Record<string, number> = {};
    for (const { keyUid, keyNo } of published.groups.flatMap(({ keys }) => keys)) {
      const { rows } = await this.#service.storage.selections.countByValue(this.#application.appId, keyNo, null);
      const count = rows.reduce((sum, row) => sum + row.count, 0);
      if (count > 0) counts[keyUid] = count;
    }
    return counts;
  }

  #uid = (id: number): string => this.uids.get(id) as string;

  #toEdit(edit: ModelEdit): Edit {
    const stay = { position: undefined, unarchive: false };
    const back = { position: undefined, unarchive: true };
    switch (edit.do) {
      case 'addGroup':
        return addGroup({ name: edit.name }, undefined);
      case 'addKey':
        return addKey(this.#uid(edit.group), { name: edit.name, type: 'boolean' }, undefined);
      case 'renameGroup':
        return changeGroup(this.#uid(edit.group), { name: edit.name }, stay);
      case 'renameKey':
        return changeKey(this.#uid(edit.key), { name: edit.name }, stay);
      case 'archiveGroup':
        return archiveGroup(this.#uid(edit.group));
      case 'archiveKey':
        return archiveKey(this.#uid(edit.key));
      case 'restoreGroup':
        return changeGroup(this.#uid(edit.group), {}, back);
      case 'restoreKey':
        return changeKey(this.#uid(edit.key), {}, back);
      case 'moveKey':
        return changeKey(this.#uid(edit.key), {}, { ...stay, groupUid: this.#uid(edit.group) });
    }
  }
}

/** A form that both can be compared in: active items in order, archived ones by UID. */
type Shown = { uid: string; name: string; keys: { uid: string; name: string }[]; archivedKeys: unknown[] };

function show(
  groups: { uid: string; name: string; archived: boolean; keys: { uid: string; name: string; archived: boolean }[] }[],
) {
  const shown = groups.map(({ uid, name, archived, keys }): Shown & { archived: boolean } => ({
    ...{ uid, name, archived },
    keys: keys.filter((key) => !key.archived).map((key) => ({ uid: key.uid, name: key.name })),
    archivedKeys: keys
      .filter((key) => key.archived)
      .map((key) => `${key.uid} ${key.name}`)
      .sort(),
  }));
  return {
    live: shown.filter(({ archived }) => !archived),
    archived: shown.filter(({ archived }) => archived).sort((a, b) => (a.uid < b.uid ? -1 : 1)),
  };
}

const showReal = ({ groups }: Catalog) =>
  show(
    groups.map(({ groupUid: uid, keys, ...group }) => ({
      ...group,
      uid,
      keys: keys.map((key) => ({ ...key, uid: key.keyUid })),
    })),
  );

const showModel = (groups: ModelCatalog, uids: ReadonlyMap<number, string>) => {
  const uid = (id: number) => uids.get(id) ?? `?${id}`;
  return show(
    groups.map((group) => ({
      ...group,
      uid: uid(group.id),
      keys: group.keys.map((key) => ({ ...key, uid: uid(key.id) })),
    })),
  );
};

/** Finds the UIDs of new items by their names. */
function learn(real: Real, model: ModelCatalog, catalog: Catalog): void {
  for (const group of model) {
    const found = catalog.groups.find(({ groupUid, name, archived }) =>
      real.uids.has(group.id) ? groupUid === real.uids.get(group.id) : !archived && name === group.name,
    );
    if (found && !real.uids.has(group.id)) real.uids.set(group.id, found.groupUid);
    for (const key of group.keys) {
      const made = found?.keys.find((each) => !each.archived && each.name === key.name);
      if (made && !real.uids.has(key.id)) real.uids.set(key.id, made.keyUid);
    }
  }
}

const NAMES = ['a', 'b', 'c'];
const EDITS = [
  ...(['addGroup', 'addKey', 'renameGroup', 'renameKey', 'replaceKey', 'moveKey'] as const),
  ...(['archiveGroup', 'archiveKey', 'restoreGroup', 'restoreKey'] as const),
];
const action = fc.record({
  kind: fc.constantFrom(...EDITS, ...EDITS, 'undo', 'redo', 'publish', 'publish', 'save', 'save', 'export'),
  one: fc.nat(50),
  other: fc.nat(50),
  name: fc.constantFrom(...NAMES),
  inDraft: fc.boolean(),
});
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

function toModelEdits({ kind, one, other, name }: Action, groups: ModelCatalog): ModelEdit[] {
  const keys = groups.flatMap((group) => group.keys.map((key) => ({ ...key, group: group.id })));
  const group = groups[one % Math.max(1, groups.length)]?.id;
  const target = groups[other % Math.max(1, groups.length)]?.id;
  const key = keys[one % Math.max(1, keys.length)];
  if (kind === 'addGroup') return [{ do: kind, name }];
  if (group === undefined || target === undefined) return [];
  if (kind === 'addKey' || kind === 'renameGroup') return [{ do: kind, group, name }];
  if (kind === 'archiveGroup' || kind === 'restoreGroup') return [{ do: kind, group }];
  if (key === undefined) return [];
  if (kind === 'renameKey') return [{ do: kind, key: key.id, name }];
  if (kind === 'moveKey') return [{ do: kind, key: key.id, group: target }];
  if (kind === 'archiveKey' || kind === 'restoreKey') return [{ do: kind, key: key.id }];
  if (kind !== 'replaceKey') return [];
  // Another key takes the name of a key with selections.
  return [
    { do: 'renameKey', key: key.id, name: 'before' },
    { do: 'archiveKey', key: key.id },
    { do: 'addKey', group: key.group, name: key.name },
  ];
}

/** Whether the model or the service rejected it. */
async function isRefused(act: () => unknown): Promise<boolean> {
  try {
    await act();
    return false;
  } catch (error) {
    if (error instanceof ModelRefusal || error instanceof InnkeeperError) return true;
    throw error;
  }
}

let servers: TestServer[] = [];
beforeAll(async () => {
  servers = await Promise.all(databases.map(async (database) => startTestServer(await database.fresh())));
});
afterAll(() => Promise.all(servers.map((server) => server.close())));

test('catalogs of both databases behave like a small model, for arbitrary operations', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 20, maxLength: 40 }), async (actions) => {
      const model = new CatalogModel();
      const saved = new Map<number, number>();
      const reals = await Promise.all(
        servers.map(async ({ service, application }) => {
          const real = new Real(service, (await application()) as unknown as Application);
          await real.run(setLanguages([{ name: 'English', tag: 'en' }]), false);
          return real;
        }),
      );
      for (const each of actions) {
        const inDraft = each.inDraft || model.draft !== undefined;
        const groups = (inDraft ? model.draft : undefined) ?? model.published;
        let refused: boolean;
        const both = (act: (real: Real) => Promise<unknown>) =>
          Promise.all(reals.map((real) => isRefused(() => act(real))));
        if (each.kind === 'undo' || each.kind === 'redo') {
          const { kind } = each;
          refused = await isRefused(() => model.step(kind));
          expect(await both((real) => real.step(kind)), kind).toEqual([refused, refused]);
        } else if (each.kind === 'publish') {
          refused = await isRefused(() => model.publish());
          expect(await both((real) => real.publish()), 'publish').toEqual([refused, refused]);
        } else if (each.kind === 'export') {
          for (const real of reals) expect(await real.applyExport(inDraft), 'export, then apply').toBe(false);
        } else if (each.kind === 'save') {
          const offered = model.published.flatMap((group) =>
            group.archived ? [] : group.keys.filter((key) => !key.archived),
          );
          const key = offered[each.one % Math.max(1, offered.length)]?.id;
          if (key === undefined) continue;
          saved.set(key, (saved.get(key) ?? 0) + 1);
          for (const real of reals) await real.save(key);
        } else {
          for (const edit of toModelEdits(each, groups)) {
            refused = await isRefused(() => model.edit(edit, inDraft));
            const after = (inDraft ? model.draft : undefined) ?? model.published;
            const outcomes = await both(async (real) => learn(real, after, await real.edit(edit, inDraft)));
            expect(outcomes, JSON.stringify(edit)).toEqual([refused, refused]);
          }
        }
        for (const real of reals) {
          const { published, draft } = await real.open();
          expect(published).toEqual(await real.stored());
          expect(showReal(published)).toEqual(showModel(model.published, real.uids));
          expect(draft && showReal(draft.catalog)).toEqual(model.draft && showModel(model.draft, real.uids));
        }
      }
      for (const real of reals) {
        const counts = Object.fromEntries([...saved].map(([key, count]) => [real.uids.get(key), count]));
        expect(await real.counts()).toEqual(counts);
      }
    }),
    { numRuns: RUNS },
  );
}, 3_600_000);
