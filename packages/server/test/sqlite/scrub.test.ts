import { statSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { type Connection, connectToRead, connectToWrite } from '../../src/storage/sqlite/connection.ts';
import { sqliteDriver } from '../../src/storage/sqlite/index.ts';
import { sqliteScrub } from '../../src/storage/sqlite/scrub.ts';
import { scratchFile } from '../scratch-file.ts';

const HOUR = 3600_000;
const NOW = Date.UTC(2026, 0, 31);
let path: string;
beforeEach(async () => {
  path = scratchFile('db');
  await sqliteDriver(path).migrate();
});

function withConnection<T>(use: (connection: Connection) => T): T {
  const connection = connectToWrite(path);
  try {
    return use(connection);
  } finally {
    connection.close();
  }
}

test('of several processes that find a scrub due, one runs it', async () => {
  const due = { now: NOW, unlessSince: NOW - HOUR };
  const outcomes = await Promise.all([1, 2, 3].map(() => sqliteScrub(path)(due)));
  expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['not-due', 'not-due', 'scrubbed']);
  expect(await sqliteScrub(path)({ ...due, now: NOW + HOUR / 2 })).toEqual({ outcome: 'not-due' });
  expect(await sqliteScrub(path)({ now: NOW + 2 * HOUR, unlessSince: NOW + HOUR })).toMatchObject({
    outcome: 'scrubbed',
  });
  // On request it is always due; a time in the future comes from a wrong clock.
  expect(await sqliteScrub(path)({ now: NOW })).toMatchObject({ outcome: 'scrubbed' });
});

test('one that was killed is repeated after an hour', async () => {
  const set = (at: number) =>
    withConnection(({ statement }) =>
      statement(
        `insert into facts (name, value) values ('scrub-begun-at', ?1) on conflict (name) do update set value = ?1`,
      ).run(String(at)),
    );
  const due = { now: NOW, unlessSince: NOW - 24 * HOUR };
  set(NOW - HOUR / 2);
  expect(await sqliteScrub(path)(due)).toEqual({ outcome: 'not-due' });
  set(NOW - 2 * HOUR);
  expect(await sqliteScrub(path)(due)).toMatchObject({ outcome: 'scrubbed' });
});

test('gives up on a database in use, and keeps the time of the last scrub', async () => {
  const writing = connectToWrite(path);
  writing.database.exec('begin immediate');
  expect(await sqliteScrub(path)({ now: NOW })).toEqual({ outcome: 'in-use' });
  writing.database.exec('rollback');
  writing.close();
  const last = withConnection(({ statement }) => statement("select 1 from facts where name = 'scrubbed-at'").get());
  expect(last).toBeUndefined();
});

test('says when a reader keeps the log, and loses nothing', async () => {
  withConnection(({ database }) => {
    database.exec(`
      create table filling (id integer primary key, text text);
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
      insert into filling select i, hex(randomblob(100)) from n;
      delete from filling where id % 2 = 0;
    `);
  });
  const before = statSync(path).size;
  const reader = connectToRead(path);
  reader.database.exec('begin');
  reader.statement('select count(*) from filling').get();
  const steps: number[] = [];
  const scrub = sqliteScrub(path, { emptyTries: 2 });
  const kept = await scrub({ now: NOW, onProgress: (written, whole) => steps.push(written / whole) });
  expect(kept).toMatchObject({ outcome: 'scrubbed', logEmptied: false });
  expect(reader.statement('select count(*) as n from filling').get()).toEqual({ n: 10_000 });
  reader.close();
  expect(await sqliteScrub(path)({ now: NOW })).toMatchObject({ outcome: 'scrubbed', logEmptied: true });
  expect(statSync(path).size).toBeLessThan(before);
  expect(steps.every((part) => part >= 0 && part <= 1)).toBe(true);
  withConnection(({ statement }) => {
    expect(statement('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
    expect(statement('select count(*) as n from filling').get()).toEqual({ n: 10_000 });
  });
});
