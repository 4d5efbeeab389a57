import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../caught.ts';
import type { Contents, DatabaseDump, RowPages, StoredRow, TableShape } from '../port.ts';
import { connectToRead, connectToWrite } from './connection.ts';
import { damaged, isDamage, resultCode } from './errors.ts';
import { migrate } from './migrations.ts';
import { identityOf, refuseMoved, refuseUnusablePath } from './open-file.ts';

const SQLITE_BUSY = 5;

export function sqliteDump(path: string): DatabaseDump {
  const naming = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      refuseUnusablePath(path);
      return await work();
    } catch (error) {
      throw isDamage(error) ? damaged(path, messageOf(error), error) : error;
    }
  };
  return {
    kind: 'sqlite',
    read: (_tables, use) =>
      naming(async () => {
        const { database, close } = connectToRead(path);
        try {
          // Readers of a write-ahead log see a snapshot from when they began, and block no writer.
          database.exec('begin');
          return await use(rowPages(database));
        } finally {
          close();
        }
      }),
    contents: () =>
      naming(async () => {
        if (!existsSync(path)) return { applications: 0, users: 0, accounts: 0 };
        const { database, close } = connectToRead(path);
        try {
          return countContents(database);
        } finally {
          close();
        }
      }),
    replace: (tables, rows, { onlyEmpty, check }) =>
      naming(async () => {
        const { database, close } = connectToWrite(path);
        try {
          // Tables are emptied and filled one after another: references are checked by comparing with the backup
          // instead.
          database.exec('pragma foreign_keys = off');
          // Next to a running service: its reads see the old state until the commit, and its writes wait.
          if (!beginToWrite(database)) return 'in-use';
          const identity = identityOf(path);
          const { applications, accounts } = countContents(database);
          if (onlyEmpty && applications + accounts > 0) return 'not-empty';
          for (const { name } of tables.toReversed()) database.exec(`delete from "${name}"`);
          for (const table of tables) {
            const insert = rowInserter(database, table);
            for await (const page of rows(table)) insert(page);
          }
          // A version without an entry makes running processes reload everything.
          database.exec(`
          insert into change_log (subject, at) values ('application', 0);
          delete from change_log;
        `);
          await check(rowPages(database));
          // Event numbers already used, here or where the backup was made, are not reused: some events were read and
          // are gone.
          database.exec(`
          update sqlite_sequence set seq = max(seq, cast(unixepoch('subsec') * 1000000 as integer)) where name = 'events'
        `);
          // Check before the commit too, while it can still be rolled back.
          refuseMoved(path, identity);
          database.exec('commit');
          refuseMoved(path, identity);
          return 'replaced';
        } finally {
          // This also rolls back what was not committed.
          close();
        }
      }),
  };
}

/** False if another process, such as another restore, has been writing for longer than the wait. */
function beginToWrite(database: DatabaseSync): boolean {
  try {
    migrate(database);
    database.exec('begin immediate');
    return true;
  } catch (error) {
    if (resultCode(error) === SQLITE_BUSY) return false;
    throw error;
  }
}

function countContents(database: DatabaseSync): Contents {
  const count = (table: keyof Contents): number => {
    const there = database.prepare(`select 1 from sqlite_schema where type = 'table' and name = ?`).get(table);
    return there ? (database.prepare(`select count(*) as count from "${table}"`).get()?.count as number) : 0;
  };
  return { applications: count('applications'), users: count('users'), accounts: count('accounts') };
}

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
