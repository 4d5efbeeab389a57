import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { auditedStorage } from '../../src/storage/audited-storage.ts';
import { storageDriver } from '../../src/storage/open.ts';
import { pageOfUsers, walkStatement } from '../../src/storage/postgres/user-walk.ts';
import { homeOfName, uuidAtHome } from '../../src/uuid.ts';
import { run } from '../citus-cluster.ts';
import { createApplication, NOW, times } from '../contract/examples.ts';
import { databases } from '../databases.ts';

const BATCH = 1_000;
const postgres = databases.filter(({ kind }) => kind === 'postgres');

async function importUsers(url: string): Promise<number> {
  const opened = await (await storageDriver(url)).open();
  const storage = auditedStorage(opened, () => 'ada@example.com', Date.now);
  const appId = await createApplication(storage);
  for (let from = 0; from < 12 * BATCH; from += BATCH) {
    const entries = times(BATCH, (at) => {
      const clientUserId = `u${from + at}`;
      const newUserId = uuidAtHome(homeOfName(appId, clientUserId));
      return { clientUserId, clientUserName: 'Ada', userId: null, newUserId, createdAt: NOW, selections: [] };
    });
    const change = { at: NOW, ifThere: 'compare', importId: randomUUID(), withoutEvents: true } as const;
    await storage.transfer.importUsers(appId, entries, change);
  }
  await storage.close();
  return appId;
}

const on = (isDistributed: boolean) =>
  postgres.filter((database) => (database.isDistributed ?? false) === isDistributed);

test.each(on(false))('right after an import, pages of users are read through an index', async (database) => {
  const url = await database.fresh();
  const appId = await importUsers(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { text, values } = walkStatement(appId, { by: 'user' }, { after: null, limit: 51, keyNos: [] });
  const explain = async (sql: string, given: unknown[]) =>
    (await client.query(`explain ${sql}`, given)).rows.map((row) => row['QUERY PLAN']).join('\n');
  const [walked, listed] = [await explain(text, values), await explain(pageOfUsers(''), [appId, '', '', 51])];
  await client.end();
  expect(walked).toMatch(/Index (Only )?Scan using users_(by_application|pkey)/);
  expect(walked).not.toMatch(/Sort Key: users/);
  expect(listed).toMatch(/Index Scan using profiles_pkey/);
  expect(listed).not.toContain('Sort');
});

test.each(on(true))('right after an import, the planner of each node knows about the users', async (database) => {
  const url = await database.fresh();
  await importUsers(url);
  const { rows } = await run(
    url,
    `select result from run_command_on_placements('innkeeper_home_0.users', 'select reltuples from pg_class where oid = ''%s''::regclass')`,
  );
  expect(Number(rows[0].result)).toBeGreaterThan(1_000);
});
