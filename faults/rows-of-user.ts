import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/**
 * How many rows belong to a user, in every table with a `user_id`. Events are excluded: their ids stay as long as
 * events are kept, and their personal data is in the other tables.
 */
export type RowsOfUser = { count(code: string): Promise<number>; close(): Promise<void> };

export async function rowsOfUser(databaseUrl: string): Promise<RowsOfUser> {
  return databaseUrl.startsWith('sqlite:') ? inSqlite(databaseUrl.slice('sqlite:'.length)) : inPostgres(databaseUrl);
}

async function inSqlite(path: string): Promise<RowsOfUser> {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const tables = database
    .prepare(
      "select m.name from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table' and c.name = 'user_id'",
    )
    .all();
  const statement = database.prepare(countIn(tables.map(({ name }) => String(name))));
  return {
    count: async (code) => Number(statement.get({ $1: Buffer.from(code.replaceAll('-', ''), 'hex') })?.n),
    close: async () => database.close(),
  };
}

async function inPostgres(url: string): Promise<RowsOfUser> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    "select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'user_id'",
  );
  const sql = countIn(rows.map(({ name }) => name));
  return {
    count: async (code) => Number((await client.query<{ n: string }>(sql, [code])).rows[0]?.n),
    close: () => client.end(),
  };
}

function countIn(tables: string[]): string {
  if (!tables.includes('users')) throw new Error('There are no users in this database.');
  const own = tables.filter((name) => name !== 'events');
  return `select ${own.map((name) => `(select count(*) from ${name} where user_id = $1)`).join(' + ')} as n`;
}
