import { expect, test } from 'vitest';
import { toItems } from '../../../src/domain/catalog/catalog.ts';
import { parseCatalogFile } from '../../../src/domain/catalog/parse-file.ts';
import { planCatalog } from '../../../src/domain/catalog/plan.ts';
import { toFile } from '../../../src/domain/catalog/to-file.ts';
import { writeJson } from '../../../src/domain/catalog/write-file.ts';
import { finish } from '../../../src/domain/slices.ts';
import { apply, define, EMPTY, stored } from './generated.ts';

// docs/performance.md has the figures; this only catches quadratic growth.
test('5,000 keys in 20 languages are planned in seconds, and one change among them is one new version', () => {
  const tags = 'en de es fr it pt nl sv da fi pl cs hu ro bg el tr ja ko zh'.split(' ');
  const languages = tags.map((tag) => ({ name: `Language ${tag}`, tag }));
  const translate = (text: string) => ({
    translations: Object.fromEntries(languages.map(({ name }) => [name, `${text} in ${name}`])),
  });
  const groups = Array.from({ length: 5 }, (_, group) => ({
    name: `group ${group}`,
    keys: Array.from({ length: 1_000 }, (_, key) => ({
      name: `key ${key}`,
      type: 'string' as const,
      ...translate(`${key} of ${group}`),
    })),
  }));
  const before = process.threadCpuUsage();
  const catalog = apply(EMPTY, define({ languages, groups }));
  const parsed = parseCatalogFile(writeJson(finish(toFile(catalog))).replace('"7 of 3 in Language de"', '"Anders"'));
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  const plan = finish(planCatalog(catalog, parsed.definition));
  expect(plan.changes).toEqual([
    {
      kind: 'changed',
      subject: 'key',
      path: 'group 3/key 7',
      keyNo: expect.any(Number),
      details: [{ fact: { what: 'text', language: 'Language de', from: '7 of 3 in Language de', to: 'Anders' } }],
    },
  ]);
  const known = new Set(finish(toItems(catalog)).map(({ document }) => document));
  const isNew = ({ document }: { document: string }) => !known.has(document);
  expect(finish(toItems(stored(plan.next))).filter(isNew)).toHaveLength(1);

  // Moving a key to the top changes the key and the order in its group.
  const [first] = parsed.definition.groups;
  first?.keys.unshift({ ...(first.keys[0] as (typeof first.keys)[0]), name: 'new' });
  expect(finish(toItems(finish(planCatalog(stored(plan.next), parsed.definition)).next)).filter(isNew)).toHaveLength(3);
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(15_000);
});
