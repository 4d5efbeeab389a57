import type { DatabaseSync } from 'node:sqlite';
import type { RowPages, StoredRow, TableShape } from '../port.ts';

const PAGE = 1000;
/** Rows with long texts make shorter pages. */
const PAGE_CHARACTERS = 4_000_000;
/** About running processes, or about the backup itself: not part of a backup. */
const LEFT_OUT = ['change_log', 'rate_limits', 'backup', 'backup_tables'];

/** Each table after those it refers to. */
export function tableShapes(database: DatabaseSync): TableShape[] {
  const names = database
    .prepare(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite~_%' escape '~' order by name`,
    )
    .all()
    .map(({ name }) => name as string)
    .filter((name) => !LEFT_OUT.includes(name));
  const ordered: string[] = [];
  const place = (name: string): void => {
    if (ordered.includes(name)) return;
    const parents = database.prepare('select "table" as parent from pragma_foreign_key_list(?)').all(name);
    for (const { parent } of parents) place(parent as string);
    ordered.push(name);
  };
  for (const name of names) place(name);
  return ordered.map((name) => {
    const columns = database.prepare('select name, pk from pragma_table_info(?)').all(name) as Column[];
    const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk);
    return { name, columns: columns.map(({ name }) => name), key: key.map(({ name }) => name) };
  });
}

type Column = { name: string; pk: number };

export function rowPages(database: DatabaseSync): RowPages {
  return async function* ({ name, columns, key }) {
    const select = database.prepare(`select ${quoted(columns)} from "${name}" order by ${quoted(key)}`);
    select.setReturnArrays(true);
    let page: StoredRow[] = [];
    let characters = 0;
    for (const row of select.iterate() as Iterable<unknown> as Iterable<StoredRow>) {
      page.push(row);
      for (const value of row) if (typeof value === 'string') characters += value.length;
      if (page.length < PAGE && characters < PAGE_CHARACTERS) continue;
      yield page;
      page = [];
      characters = 0;
    }
    if (page.length > 0) yield page;
  };
}

export function rowInserter(
  database: DatabaseSync,
  { name, columns }: TableShape,
): (rows: readonly StoredRow[]) => void {
  const places = columns.map(() => '?').join(', ');
  const insert = database.prepare(`insert into "${name}" (${quoted(columns)}) values (${places})`);
  return (rows) => {
    for (const row of rows) insert.run(...row);
  };
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}
