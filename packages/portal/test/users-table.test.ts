import { expect, test } from 'vitest';
import type { CatalogNames, NamedKey } from '../src/api/catalog-names.ts';
import { createUsersTable } from '../src/rooms/users/users-table.ts';
import { toCsv } from '../src/shell/csv.ts';

const key = (groupName: string, name: string) => ({ groupName, name }) as NamedKey;
const names = {
  groups: [{ keys: [key('food', 'fruit'), key('food', 'never'), key('look', 'theme')] }],
} as unknown as CatalogNames;

test('a table of users has a column for each chosen key, in the order of the catalog, and no formulas', () => {
  const table = createUsersTable(names);
  const at = '2026-01-02 03:04:05';
  const option = (group: string, name: string, value: unknown[]) => ({ group, key: name, value });
  table.add({
    clientUserId: 'a',
    clientUserName: '=1+1',
    created_at: at,
    options: [option('look', 'theme', ['dark'])],
  });
  table.add({
    clientUserId: 'b',
    clientUserName: 'B, "the second"',
    status: 'suspended',
    created_at: at,
    options: [option('food', 'fruit', ['apple', 'cherry']), option('gone', 'old', [true])],
  });
  table.add({ clientUserId: 'c', clientUserName: 'C', profileOnly: true });
  expect(table.parts().join('').split('\r\n')).toEqual([
    '\uFEFFid,name,status,created,food.fruit,look.theme,gone.old',
    `a,'=1+1,active,${at},,dark,`,
    `b,"B, ""the second""",suspended,${at},apple; cherry,,true`,
    '',
  ]);
});

test('no cell of a table is a formula, in any program and country', () => {
  const cells = [' =1+1', '\n=1', '＝1+1', '\ufeff@x', "'=1", 'x;=1+1', 'x; =1', 'a\t-1', 'a\n=1;b', '1-1', 'a=b'];
  const safe = [
    "' =1+1",
    '"\'\n\'=1"',
    "'＝1+1",
    "'\ufeff@x",
    "''=1",
    "x;'=1+1",
    "x; '=1",
    "a\t'-1",
    '"a\n\'=1;b"',
    '1-1',
    'a=b',
  ];
  expect(toCsv(cells.map((each) => [each]))).toBe(safe.map((each) => `${each}\r\n`).join(''));
});
