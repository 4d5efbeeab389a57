// Writes src/storage/sqlite/new-schema.ts: what all migrations together make of an empty file. `npm run docs` runs it;
// test/sqlite/new-schema.test.ts checks it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MIGRATIONS } from '../src/storage/sqlite/migrations.ts';

export const NEW_SCHEMA_FILE = join(import.meta.dirname, '../src/storage/sqlite/new-schema.ts');

export function renderNewSchema(): string {
  const database = new DatabaseSync(':memory:');
  database.exec(MIGRATIONS.join(';'));
  const made = database
    .prepare("select sql from sqlite_schema where sql is not null and name not like 'sqlite_%'")
    .all();
  const rows = [
    // The only row that the migrations leave in a new database.
    "insert into sqlite_sequence (name, seq) values ('events', cast(unixepoch('subsec') * 1000000 as integer))",
  ];
  const statements = [...made.map(({ sql }) => String(sql)), ...rows];
  return `// Written by scripts/write-new-schema.ts from migrations.ts: run \`npm run docs\` after a new migration.

/** The tables of a new database, in a quarter of the time that the migrations take. */
export const NEW_SCHEMA = \`
${statements.join(';\n')}\`;
`;
}

if (import.meta.main) writeFileSync(NEW_SCHEMA_FILE, renderNewSchema());
