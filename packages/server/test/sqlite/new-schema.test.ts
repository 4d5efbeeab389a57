import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { NEW_SCHEMA_FILE, renderNewSchema } from '../../scripts/write-new-schema.ts';
import { LATEST_MIGRATION, migrate } from '../../src/storage/sqlite/migrations.ts';

test('a new database gets the tables that the migrations make one by one', () => {
  expect(readFileSync(NEW_SCHEMA_FILE, 'utf8'), 'run `npm run docs`').toBe(renderNewSchema());
  const made = (upTo: number[]) => {
    using database = new DatabaseSync(':memory:');
    for (const each of upTo) migrate(database, each);
    const rows = database.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all();
    const [events] = database.prepare('select name, seq from sqlite_sequence').all();
    const hasRows = rows.filter(
      ({ type, name }) => type === 'table' && database.prepare(`select 1 from "${name}" limit 1`).get(),
    );
    return {
      rows,
      filled: hasRows.map(({ name }) => name),
      events,
      version: database.prepare('pragma user_version').get(),
    };
  };
  const atOnce = made([LATEST_MIGRATION]);
  const step = made(Array.from({ length: LATEST_MIGRATION }, (_, index) => index + 1));
  expect(atOnce.rows).toEqual(step.rows);
  expect(atOnce.version).toEqual(step.version);
  expect(atOnce.filled).toEqual(step.filled);
  expect(atOnce.filled).toEqual(['sqlite_sequence']);
  // Based on a time in microseconds.
  expect(Math.abs(Number(atOnce.events?.seq) - Number(step.events?.seq))).toBeLessThan(60_000_000);
  expect(atOnce.events?.name).toBe(step.events?.name);
});
