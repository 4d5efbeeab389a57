import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** Tables in which ids of deleted users stay. */
export const KEEP_IDS = ['events'];

/** The whole database as text, to search for something in every table. */
export async function dump(url: string, without: readonly string[] = []): Promise<string> {
  return url.startsWith('sqlite:') ? dumpSqlite(url.slice('sqlite:'.length), without) : dumpPostgres(url, without);
}

function dumpSqlite(path: string, without: readonly string[]): string {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
    const names = tables.map(({ name }) => String(name)).filter((name) => !without.includes(name));
    const rows = names.flatMap((name) => database.prepare(`select * from "${name}"`).all());
    return rows
      .flatMap((row) => Object.values(row))
      .map((value) => (value instanceof Uint8Array ? toIdentifier(value) : String(value)))
      .join('\n');
  } finally {
    database.close();
  }
}

function toIdentifier(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return bytes.length === 16 ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : hex;
}

async function dumpPostgres(url: string, without: readonly string[]): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query(
      "select schemaname, tablename from pg_tables where schemaname = 'public' or schemaname like 'innkeeper%'",
    );
    const parts: string[] = [];
    for (const { schemaname, tablename } of tables.rows) {
      if (without.includes(tablename)) continue;
      const { rows } = await client.query(`select t::text as row from "${schemaname}"."${tablename}" t`);
      parts.push(...rows.map(({ row }) => row as string));
    }
    return parts.join('\n');
  } finally {
    await client.end();
  }
}
