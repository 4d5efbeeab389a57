import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { definitionOf } from '../../../src/domain/catalog/definition.ts';
import { parseCatalogFile } from '../../../src/domain/catalog/parse-file.ts';
import { planCatalog } from '../../../src/domain/catalog/plan.ts';
import { knownOf } from '../../../src/domain/catalog/read-definition.ts';
import { toFile } from '../../../src/domain/catalog/to-file.ts';
import { writeJson, writeYaml } from '../../../src/domain/catalog/write-file.ts';
import { finish } from '../../../src/domain/slices.ts';
import { apply, catalogFile, define, documents, EMPTY, stored, uids } from './generated.ts';

const RUNS = { numRuns: 300 };

describe('export, then apply', () => {
  const FORMATS = [
    ['YAML', 'catalog.yaml', (file) => writeYaml(file, ['A comment', '---', '%YAML 1.1'])],
    ['JSON', 'catalog.json', writeJson],
    ['JSON without a name', '-', writeJson],
  ] as const satisfies [string, string, typeof writeJson][];

  test.each(FORMATS)('changes nothing, through %s', (_, fileName, write) => {
    fc.assert(
      fc.property(catalogFile, (file) => {
        const catalog = apply(EMPTY, define(file));
        const parsed = parseCatalogFile(write(finish(toFile(catalog))), fileName, knownOf(catalog));
        if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
        const plan = finish(planCatalog(catalog, parsed.definition));
        expect(plan.changes).toEqual([]);
        expect(documents(plan.next)).toEqual(documents(catalog));
        expect(plan.next.languages).toEqual(catalog.languages);
      }),
      RUNS,
    );
  });

  test('a bound of -0 is 0', () => {
    const keys = [{ name: 'k', type: 'number' as const, constraint: { min: -0 } }];
    const file = { languages: [{ name: 'English', tag: 'en' }], groups: [{ name: 'g', keys }] };
    expect(define(file).groups[0]?.keys[0]?.constraint).toEqual({ min: 0 });
  });

  test('gives the wanted catalog: apply, then export', () => {
    fc.assert(
      fc.property(catalogFile, (file) => {
        expect(define(finish(toFile(apply(EMPTY, define(file)))))).toEqual(define(file));
      }),
      RUNS,
    );
  });
});

describe('from any catalog to any other', () => {
  const pairs = fc.tuple(catalogFile, catalogFile);

  test('the plan leads to the wanted catalog, and a second plan is empty', () => {
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        const before = apply(EMPTY, define(one));
        const plan = finish(planCatalog(before, define(other)));
        const after = stored(plan.next);
        expect(define(finish(toFile(after)))).toEqual(define(other));
        expect(finish(planCatalog(after, define(other))).changes).toEqual([]);
        expect(finish(planCatalog(after, finish(definitionOf(after)))).changes).toEqual([]);
        expect(documents(after)).toEqual(documents(plan.next));
      }),
      RUNS,
    );
  });

  test('a plan is empty exactly when no version is new', () => {
    fc.assert(
      fc.property(pairs, fc.boolean(), fc.boolean(), ([one, other], isSame, isReversed) => {
        const before = apply(EMPTY, define(one));
        const wanted = define(isSame ? one : other);
        if (isReversed) {
          wanted.groups.reverse();
          for (const group of wanted.groups) group.keys.reverse();
        }
        const plan = finish(planCatalog(before, wanted));
        const isUnchanged =
          JSON.stringify(plan.next.languages) === JSON.stringify(before.languages) &&
          JSON.stringify(documents(plan.next)) === JSON.stringify(documents(before));
        expect(plan.changes.length === 0).toBe(isUnchanged);
      }),
      RUNS,
    );
  });

  test('UIDs stay while names stay, and nothing is lost', () => {
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        const before = apply(EMPTY, define(one));
        const after = apply(before, define(other));
        const then = uids(after);
        for (const [path, uid] of Object.entries(uids(before))) if (path in then) expect(then[path]).toBe(uid);
        for (const uid of Object.keys(documents(before))) expect(documents(after)).toHaveProperty(uid);
        const numbers = after.groups.flatMap((group) => group.keys.map(({ keyNo }) => keyNo));
        expect(new Set(numbers).size).toBe(numbers.length);

        const again = apply(after, define(one));
        expect(uids(again), 'archived, then restored').toEqual(uids(before));
      }),
      RUNS,
    );
  });

  test('archived items get no new version when something else changes', () => {
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        // Removing a language removes its texts, also from archived items.
        const languages = define({ ...other, groups: [] });
        const archived = apply(apply(apply(EMPTY, define(one)), define({ ...one, groups: [] })), languages);
        const after = apply(
          archived,
          define({ ...other, groups: other.groups.map((each) => ({ ...each, name: `${each.name}!` })) }),
        );
        const then = documents(after);
        const names = new Set(after.groups.filter((group) => !group.archived).map(({ name }) => name));
        for (const group of archived.groups.filter(({ name }) => !names.has(name))) {
          expect(then[group.groupUid]).toBe(documents(archived)[group.groupUid]);
        }
      }),
      RUNS,
    );
  });

  test('`was` renames: the same UID under another name', () => {
    fc.assert(
      fc.property(catalogFile, (file) => {
        const before = apply(EMPTY, define(file));
        const renamed = define(file);
        for (const group of renamed.groups) {
          for (const key of group.keys) [key.was, key.name] = [key.name, `${key.name} (new)`];
          [group.was, group.name] = [group.name, `${group.name} (new)`];
        }
        const plan = finish(planCatalog(before, renamed));
        const after = stored(plan.next);
        expect(Object.values(uids(after))).toEqual(Object.values(uids(before)));
        expect(plan.changes.every(({ kind }) => kind === 'renamed')).toBe(true);
        expect(finish(planCatalog(after, renamed)).changes, 'the file may stay as it is').toEqual([]);
      }),
      RUNS,
    );
  });

  test('an older revision is restored with its UIDs, despite renames', () => {
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        const before = apply(EMPTY, define(one));
        const renamed = define(one);
        for (const group of renamed.groups) {
          for (const key of group.keys) [key.was, key.name] = [key.name, `${key.name} (new)`];
          [group.was, group.name] = [group.name, `${group.name} (new)`];
        }
        const after = apply(apply(apply(before, renamed), define(other)), define(one));
        const back = apply(after, finish(definitionOf(before)));
        expect(uids(back)).toEqual(uids(before));
        expect(finish(toFile(back))).toEqual(finish(toFile(before)));
      }),
      RUNS,
    );
  });
});
