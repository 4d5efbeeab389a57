import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

/** All that a database holds, as text: what is in it can be searched for, whatever table it went to. */
export async function dump(url: string): Promise<string> {
  return url.startsWith('sqlite:') ? dumpSqlite(url.slice('sqlite:'.length)) : dumpPostgres(url);
}

function dumpSqlite(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
    const rows = tables.flatMap(({ name }) => database.prepare(`select * from "${name}"`).all());
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

async function dumpPostgres(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query("select tablename from pg_tables where schemaname = 'public'");
    const parts: string[] = [];
    for (const { tablename } of tables.rows) {
      const { rows } = await client.query(`select t::text as row from "${tablename}" t`);
      parts.push(...rows.map(({ row }) => row as string));
    }
    return parts.join('\n');
  } finally {
    await client.end();
  }
}
