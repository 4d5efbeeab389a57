// The parts of psql and sqlite3 that the pages use, for machines without them: runs a file and prints rows as plain
// text.

import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import pg from 'pg';

const [program, database = '', ...options] = process.argv.slice(2);
if (program === 'psql') await psql(database, readFileSync(options[options.indexOf('-f') + 1] as string, 'utf8'));
else sqlite(database, await text(process.stdin));

async function psql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const results = [await client.query({ text: sql, rowMode: 'array' })].flat();
  await client.end();
  for (const row of results.flatMap(({ rows }) => rows as unknown[][])) {
    console.log(row.map((cell) => (typeof cell === 'object' ? JSON.stringify(cell) : String(cell))).join('|'));
  }
}

function sqlite(path: string, sql: string): void {
  const opened = new DatabaseSync(path);
  if (!/^\s*SELECT/i.test(sql)) opened.exec(sql);
  else for (const row of opened.prepare(sql).all()) console.log(Object.values(row).join('|'));
  opened.close();
}
