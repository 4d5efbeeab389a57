import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { storageDriver } from '../packages/server/src/storage/open.ts';

/**
 * What counting users' choices costs among millions: users with three selections each (a key of five values, one of
 * ten, an open one where everyone differs), saved over two years. Run: npm run bench:insights [users] [postgres://…]
 */
const USERS = Number(process.argv[2] ?? 2_000_000);
const APP = 1;
const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS);

const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
const url = process.argv[3] ?? `sqlite:${join(folder, 'bench.db')}`;
try {
  const driver = await storageDriver(url);
  await driver.migrate();
  await fill();
  const storage = await driver.open();
  console.log(
    `| ${storage.kind}, ${USERS} users, ${USERS * 3} selections | time | the HTTP thread waited |\n| --- | --- | --- |`,
  );
  const measure = async (what: string, act: () => Promise<unknown>) => {
    for (const round of ['first', 'again']) {
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      const from = performance.now();
      await act();
      const ms = performance.now() - from;
      delay.disable();
      console.log(`| ${what}, ${round} | ${ms.toFixed(0)} ms | at most ${(delay.max / 1e6).toFixed(0)} ms |`);
    }
  };
  const survey = (keyNo: number, values: number | null) => () => {
    const listed = values === null ? null : Array.from({ length: values }, (_, each) => `"value ${each}"`);
    return storage.selections.survey(APP, keyNo, { fromDay: TODAY - 89, days: 1, listed, most: 200 });
  };
  await measure('5 values, 90 days', survey(1, 5));
  await measure('10 values, 90 days', survey(2, 10));
  await measure('open, every value different', survey(3, null));
  await measure('once open, every value different and none listed', survey(3, 5));
  await storage.close();
} finally {
  await rm(folder, { recursive: true });
}

async function fill(): Promise<void> {
  const application = `insert into applications (app_id, client_id, name, settings, created_at) values (${APP}, '1_x', 'Bench', '{}', 0)`;
  const savedAt = (i: string) => `(${TODAY} - (${i} * 7919) % 730) * ${DAY_MS}`;
  const value = (keyNo: number, i: string) =>
    keyNo === 3 ? `'"text ' || ${i} || '"'` : `'"value ' || (${i} * 31 + ${i} / 7) % ${keyNo * 5} || '"'`;
  const columns = 'user_id, key_no, app_id, selection_id, revision, value, created_at, updated_at, last_event';
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length));
    const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${USERS})`;
    const id = "cast(printf('%016d', (i * 2654435761) % 4294967296 * 100000000 + i % 100000000) as blob)";
    database.exec(`pragma synchronous = off; pragma cache_size = -500000; ${application}; begin`);
    database.exec(
      `${numbers} insert into users (user_id, app_id, client_user_id, created_at) select ${id}, ${APP}, 'u' || i, 0 from n`,
    );
    for (const keyNo of [1, 2, 3]) {
      database.exec(`${numbers} insert into selections (${columns})
        select ${id}, ${keyNo}, ${APP}, ${id}, 1, ${value(keyNo, 'i')}, 0, ${savedAt('i')}, 1 from n`);
    }
    database.exec('commit; pragma wal_checkpoint(truncate)');
    database.close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const from = `from generate_series(1, ${USERS}) i`;
  const id = 'md5(i::text)::uuid';
  await client.query(application);
  await client.query(
    `insert into users (user_id, app_id, client_user_id, created_at) select ${id}, ${APP}, 'u' || i, 0 ${from}`,
  );
  for (const keyNo of [1, 2, 3]) {
    await client.query(`insert into selections (${columns})
      select ${id}, ${keyNo}, ${APP}, ${id}, 1, ${value(keyNo, 'i')}, 0, ${savedAt('i::bigint')}, 1 ${from}`);
  }
  await client.query('analyze');
  await client.end();
}
