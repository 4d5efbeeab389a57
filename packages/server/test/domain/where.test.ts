import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readCatalog, type Scalar } from '../../src/domain/catalog/catalog.ts';
import { compileCatalog } from '../../src/domain/catalog/compile.ts';
import type { CatalogFile } from '../../src/domain/catalog/file-schema.ts';
import { publishCatalog } from '../../src/domain/catalog/publish.ts';
import { readDefinition } from '../../src/domain/catalog/read-definition.ts';
import { finish } from '../../src/domain/slices.ts';
import { countUsers, type ListPlace, pageOfUsers } from '../../src/domain/users/match-users.ts';
import { readWhere } from '../../src/domain/users/where.ts';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { createApplication, NOW } from '../contract/examples.ts';
import { databases } from '../databases.ts';

/** Filters compared with the model, sixteen per catalog. INNKEEPER_WHERE_CASES=10000 runs the long form. */
const CASES = Number(process.env.INNKEEPER_WHERE_CASES ?? 200);
const FILTERS = 16;

type Type = 'boolean' | 'integer' | 'string';
/** A key as it is or was; without `values` it is open. */
type KeySpec = {
  type: Type;
  multiple: boolean;
  values: Scalar[] | null;
  default: Scalar | Scalar[] | null;
  archived: boolean;
};

const LONG = 'x'.repeat(220);
const POOL: Record<Type, Scalar[]> = {
  boolean: [true, false],
  integer: [0, 1, 2],
  // The long ones only differ beyond the part that is indexed.
  string: ['a', 'b', 'a=b!', `${LONG}1`, `${LONG}2`],
};
const NAMES = ['one', 'two', 'three'];

const keySpec: fc.Arbitrary<KeySpec> = fc
  .record({
    type: fc.constantFrom<Type>('boolean', 'integer', 'string'),
    multiple: fc.boolean(),
    isOpen: fc.boolean(),
    size: fc.integer({ min: 1, max: 3 }),
    hasDefault: fc.boolean(),
    archived: fc.boolean(),
    seed: fc.nat(5),
  })
  .map(({ type, multiple, isOpen, size, hasDefault, archived, seed }) => {
    const pool = POOL[type];
    const all = type === 'boolean' || isOpen;
    const values = all ? null : rotated(pool, seed).slice(0, size);
    const first = (values ?? rotated(pool, seed))[0] as Scalar;
    return { type, multiple: type !== 'boolean' && multiple, values, default: null, archived, hasDefault, first };
  })
  .map(({ hasDefault, first, ...spec }) => ({
    ...spec,
    default: hasDefault ? (spec.multiple ? [first] : first) : null,
  }));

const rotated = <T>(list: readonly T[], by: number): T[] => [
  ...list.slice(by % list.length),
  ...list.slice(0, by % list.length),
];

const condition = fc.record({
  key: fc.nat(NAMES.length - 1),
  test: fc.constantFrom('equals', 'differs', 'saved', 'unsaved'),
  pick: fc.nat(5),
});

const example = fc.record({
  before: fc.array(keySpec, { minLength: 3, maxLength: 3 }),
  // Mostly unchanged keys, so that saved selections stay valid.
  after: fc.array(fc.option(keySpec, { freq: 1, nil: undefined }), { minLength: 3, maxLength: 3 }),
  users: fc.array(
    fc.record({ chosen: fc.array(fc.option(fc.nat(7)), { minLength: 3, maxLength: 3 }), suspended: fc.boolean() }),
    { minLength: 1, maxLength: 8 },
  ),
  filters: fc.array(
    fc.record({
      conditions: fc.array(condition, { minLength: 0, maxLength: 3 }),
      effective: fc.boolean(),
      status: fc.option(fc.constantFrom('active' as const, 'suspended' as const), { nil: undefined }),
      byUid: fc.boolean(),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
    { minLength: FILTERS, maxLength: FILTERS },
  ),
});

const toFile = (specs: readonly KeySpec[], all: boolean): CatalogFile => ({
  languages: [{ name: 'English', tag: 'en', default: true }],
  groups: [
    {
      name: 'g',
      keys: specs.flatMap(({ type, multiple, values, default: byDefault, archived }, index) =>
        archived && !all
          ? []
          : [
              {
                ...{ name: NAMES[index] as string, type, multiple, ...(byDefault !== null && { default: byDefault }) },
                ...(values && { values: values.map((value) => ({ value })) }),
              },
            ],
      ),
    },
  ],
});

/** Picks a key's values by number: a scalar, or a list of up to two. */
function pickValue({ type, multiple, values }: KeySpec, pick: number): Scalar | Scalar[] {
  const pool = values ?? POOL[type];
  const [one, two] = [pool[pick % pool.length] as Scalar, pool[(pick + 1) % pool.length] as Scalar];
  if (!multiple) return one;
  if (pick === 7) return [];
  const picked = pick % 2 === 0 ? [one] : [...new Set([one, two])];
  return values ? values.filter((value) => picked.includes(value)) : picked;
}

describe.each(databases)('where on $kind', (database) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  afterAll(() => storage.close());

  const publish = async (appId: number, file: CatalogFile) => {
    const read = finish(readDefinition(file));
    if ('problems' in read) throw new Error(JSON.stringify(read.problems));
    await publishCatalog(storage, appId, read.definition, { author: 'test', now: NOW, allowBreaking: true });
    return finish(compileCatalog(finish(readCatalog(await storage.catalogs.load(appId)))));
  };

  test('finds the same users as a model, in pages, and counts them', async () => {
    await fc.assert(
      fc.asyncProperty(example, async ({ before, after, users, filters }) => {
        const appId = await createApplication(storage);
        const then = await publish(appId, toFile(before, true));
        const keyNos = NAMES.map((name) => then.keys.find(({ key }) => key.name === name)?.key.keyNo as number);
        const saved = users.map(({ chosen }) =>
          chosen.map((pick, index) => (pick === null ? undefined : pickValue(before[index] as KeySpec, pick))),
        );
        const entries = users.map((_, at) => ({
          ...{
            clientUserId: `u${at}`,
            clientUserName: 'x',
            userId: null,
            newUserId: crypto.randomUUID(),
            createdAt: NOW,
          },
          selections: (saved[at] ?? []).flatMap((value, index) =>
            value === undefined
              ? []
              : [
                  {
                    ...{ selectionId: crypto.randomUUID(), keyNo: keyNos[index] as number, revision: then.revision },
                    ...{ value: JSON.stringify(value), language: null, createdAt: NOW, updatedAt: NOW },
                  },
                ],
          ),
        }));
        const change = { at: NOW, ifThere: 'compare' as const, importId: crypto.randomUUID() };
        await storage.transfer.importUsers(appId, entries as never, change as never);
        for (const [at, { suspended }] of users.entries()) {
          const user = await storage.users.findByClientUserId(appId, `u${at}`);
          if (suspended) await storage.users.update(appId, user?.userId as string, { status: 'suspended' }, NOW);
        }
        const specs = before.map((spec, index) => ({ ...(after[index] ?? { ...spec, archived: false }) }));
        const now = await publish(appId, toFile(specs, false));

        for (const { conditions, effective, status, byUid, limit } of filters) {
          const texts = conditions.map(({ key, test, pick }) => {
            const spec = specs[key] as KeySpec;
            // An archived key keeps its earlier type.
            const { type } = spec.archived ? (before[key] as KeySpec) : spec;
            const placed = now.keyByNo.get(keyNos[key] as number);
            const name = byUid ? (placed?.key.keyUid as string) : `g.${NAMES[key]}`;
            const value = POOL[type][pick % POOL[type].length];
            return { equals: `${name}=${value}`, differs: `${name}!=${value}`, saved: name, unsaved: `!${name}` }[
              test
            ] as string;
          });
          const filter = { catalog: now, conditions: readWhere(texts, now), effective, status };
          const expected = users.flatMap((user, at) => {
            if (status !== undefined && (status === 'suspended') !== user.suspended) return [];
            const holds = conditions.every(({ key, test, pick }) => {
              const spec = specs[key] as KeySpec;
              const { type, multiple } = spec.archived ? (before[key] as KeySpec) : spec;
              const value = model(spec, saved[at]?.[key], effective, after[key] === undefined);
              const wanted = POOL[type][pick % POOL[type].length] as Scalar;
              const equals = multiple ? Array.isArray(value) && value.includes(wanted) : value === wanted;
              return { equals, differs: !equals, saved: value !== undefined, unsaved: value === undefined }[test];
            });
            return holds ? [`u${at}`] : [];
          });
          const found: string[] = [];
          for (let place: ListPlace | undefined; ; ) {
            const page = await pageOfUsers(storage.users, appId, filter, { place, limit });
            found.push(...page.users.map(({ clientUserId }) => clientUserId));
            if (page.next === null) break;
            // Only the last page may be partly filled.
            expect(page.users).toHaveLength(limit);
            place = page.next;
          }
          expect({ texts, effective, status, found: found.sort() }).toEqual({
            texts,
            effective,
            status,
            found: expected.sort(),
          });
          expect(await countUsers(storage.users, appId, filter)).toBe(expected.length);
        }
      }),
      { numRuns: Math.ceil(CASES / FILTERS), seed: 17 },
    );
  }, 3_600_000);
});

/** The rules of conditions and effective values, in their simplest form. */
function model(spec: KeySpec, saved: Scalar | Scalar[] | undefined, effective: boolean, isUnchanged: boolean) {
  if (!effective) return saved;
  if (spec.archived) return undefined;
  const fits = (value: Scalar | Scalar[]): boolean =>
    Array.isArray(value) === spec.multiple &&
    [value].flat().every((each) => (spec.values ? spec.values.includes(each) : typeof each === TYPE_OF[spec.type]));
  if (saved !== undefined && (isUnchanged || fits(saved))) return saved;
  return spec.default ?? undefined;
}

const TYPE_OF = { boolean: 'boolean', integer: 'number', string: 'string' };
