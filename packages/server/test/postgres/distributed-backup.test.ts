import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { DatabaseDump, RowPages, Storage, StoredRow, TableShape } from '../../src/storage/port.ts';
import { ConnectionPool } from '../../src/storage/postgres/connection-pool.ts';
import { statement } from '../../src/storage/postgres/connections.ts';
import { Cluster } from '../../src/storage/postgres/distributed/cluster.ts';
import { readConsistently } from '../../src/storage/postgres/distributed/consistent-snapshot.ts';
import { findHomes, type Homes, schemaOf } from '../../src/storage/postgres/distributed/homes.ts';
import { Servers } from '../../src/storage/postgres/servers.ts';
import { type Query, Transactions } from '../../src/storage/postgres/transactions.ts';
import { homeOfName, uuidAtHome } from '../../src/uuid.ts';
import { type CitusCluster, copyTemplate, run } from '../citus-cluster.ts';
import { inThread } from '../cli/in-thread.ts';
import { commandLine } from '../cli/run-innkeeper.ts';
import { accessToken, createApplication, createUser, hash, MINUTE, NOW, times, user } from '../contract/examples.ts';
import { postgres, sqlite } from '../databases.ts';
import { scratchFile } from '../scratch-file.ts';
import { byName, summarizeDatabase } from '../summarize-database.ts';

const citus = inject('citus') as CitusCluster;
const CHANGE = { at: NOW, authMethod: 'user_uid' } as const;
const selection = (value: string) => ({
  ...{ selectionId: randomUUID(), keyNo: 1, revision: 1, value: JSON.stringify(value), language: null },
});
const newCluster = (): Promise<string> => copyTemplate(citus, `backup_${randomUUID().slice(0, 8)}`);

const USERS: TableShape = { name: 'users', columns: ['user_id', 'link_generation'], key: ['user_id'] };
const PROFILES: TableShape = {
  name: 'profiles',
  columns: ['client_user_id', 'user_id'],
  key: ['app_id', 'client_user_id'],
};
const FACTS: TableShape = { name: 'facts', columns: ['name', 'value'], key: ['name'] };

async function allRows(rows: RowPages, table: TableShape): Promise<StoredRow[]> {
  const found: StoredRow[] = [];
  for await (const page of rows(table)) found.push(...page);
  return found;
}

// Not here? CONTRIBUTING.md says how to get Citus and to set INNKEEPER_TEST_CITUS.
describe.skipIf(citus === null)('a backup of a Citus cluster', () => {
  describe('of one moment', () => {
    let url: string;
    let storage: Storage;
    let pool: ConnectionPool;
    let homes: Homes;
    let appId: number;
    let dump: DatabaseDump;
    beforeAll(async () => {
      url = await newCluster();
      const driver = await storageDriver(url);
      dump = driver.dump;
      storage = await driver.open();
      pool = new ConnectionPool(url);
      homes = (await pool.transaction(findHomes)) as Homes;
      appId = await createApplication(storage);
    });
    afterAll(async () => {
      await pool.close();
      await storage.close();
    });

    const userAt = (home: number) => {
      const clientUserId = `${home} ${randomUUID()}`;
      return createUser(storage, appId, { clientUserId, userId: uuidAtHome(home) });
    };

    test('has all of each act of several nodes or nothing, and of the acts before it', async () => {
      const pairs = await Promise.all(
        times(4, async (pair) => ({ fact: `pair-${pair}`, users: [await userAt(pair), await userAt(pair + 1)] })),
      );
      const raise = statement('update users set link_generation = $2 where user_id = $1');
      const note = statement(
        'insert into facts values ($1, $2) on conflict (name) do update set value = excluded.value',
      );
      const cluster = new Cluster(homes, pool);
      let isOver = false;
      let commits = 0;
      // Two workers and the coordinator in one transaction; then one act after another, each of one node.
      const writing = pairs.map(async ({ fact, users: [one, other] }) => {
        const set = (inner: Cluster, { userId }: { userId: string } = { userId: '' }, to = 0) =>
          inner.ofUser(userId).connections.write(raise, [userId, to]);
        for (let n = 1; !isOver; n++) {
          await cluster.together(async (inner) => {
            await set(inner, one, n);
            await set(inner, other, n);
            await inner.connections.write(note, [fact, String(n)]);
          });
          commits++;
        }
      });
      // In the order in which nodes would be asked for snapshots.
      const chains = await Promise.all(
        times(8, async (chain) => ({ fact: `chain-${chain}`, users: [await userAt(0), await userAt(2)] })),
      );
      const inOrder = chains.map(async ({ fact, users }) => {
        for (let n = 1; !isOver; n++) {
          await pool.write(note, [fact, String(n)]);
          for (const { userId } of users) await cluster.ofUser(userId).connections.write(raise, [userId, n]);
        }
      });
      // A name that leads to a user of another home, made with the user.
      const far = (async () => {
        for (let n = 0; !isOver; n++) await userAt(homeOfName(appId, `far ${n}`) + 1);
      })();
      const seen = new Set<string>();
      try {
        for (let round = 0; round < 20; round++) {
          const read = await dump.read([USERS, PROFILES, FACTS], async (rows) => {
            const before = commits;
            // Later acts have committed by the time that rows are read.
            await expect.poll(() => commits, { interval: 2 }).toBeGreaterThan(before + 8);
            return {
              facts: await allRows(rows, FACTS),
              profiles: await allRows(rows, PROFILES),
              users: await allRows(rows, USERS),
            };
          });
          const generations = new Map(read.users.map(([id, n]) => [Buffer.from(id as Uint8Array).toString('hex'), n]));
          const generationOf = ({ userId }: { userId: string }) => generations.get(userId.replaceAll('-', ''));
          const facts = new Map(read.facts.map(([name, value]) => [name, Number(value)]));
          for (const { fact, users } of pairs) {
            expect(users.map(generationOf)).toEqual([facts.get(fact) ?? 0, facts.get(fact) ?? 0]);
          }
          for (const { fact, users } of chains) {
            const steps = [facts.get(fact) ?? 0, ...users.map(generationOf)] as [number, number, number];
            expect(steps.toSorted((one, other) => other - one)).toEqual(steps);
            expect(steps[0] - steps[2]).toBeLessThanOrEqual(1);
          }
          const ids = read.profiles.map(([, id]) => Buffer.from(id as Uint8Array).toString('hex'));
          expect(new Set(ids)).toEqual(new Set(generations.keys()));
          seen.add(String(facts.get('pair-0')));
        }
      } finally {
        isOver = true;
        await Promise.all([...writing, ...inOrder, far]);
      }
      // Not the same moment every time.
      expect(seen.size).toBeGreaterThan(10);
    });

    test('keeps every writer waiting, and no reader, until all nodes have their snapshots', async () => {
      const { userId } = await userAt(0);
      const cluster = new Cluster(homes, pool);
      const done: string[] = [];
      let writing: Promise<unknown>[] = [];
      // Three that open connections of the readers and one that opens those of the holder, before writers are held.
      let looks = 0;
      class Watched extends Transactions {
        override run: Transactions['run'] = (work, ...rest) =>
          super.run(
            async (query, queryFor) => {
              const watched: Query = async (text, values) => {
                if (text.includes('perform 1 from') && looks++ === 4) {
                  const write = {
                    save: storage.selections.save(appId, userId, [selection('held')], CHANGE),
                    create: userAt(1),
                    rename: storage.users.update(appId, userId, { clientUserId: 'held' }, NOW),
                    note: pool.write(statement("insert into facts values ('held', '1')")),
                  };
                  writing = Object.entries(write).map(([name, act]) => act.then(() => done.push(name)));
                  await sleep(300);
                  expect(done).toEqual([]);
                  expect(await cluster.ofUser(userId).users.find(appId, userId)).toMatchObject({ userId });
                }
                return query(text, values);
              };
              return work(watched, queryFor);
            },
            ...rest,
          );
      }
      const transactions = new Watched(new Servers(url));
      try {
        const moment = { homes, tables: 'facts', statementMs: MINUTE, prepare: async () => {} };
        const seen = await readConsistently(transactions, moment, async (sides) => {
          await Promise.all(writing);
          const selections = await sides.of(0)(`select from ${schemaOf(0)}.selections where user_id = $1`, [userId]);
          const facts = await sides.of(0)("select from facts where name = 'held'");
          const home = homes.ofName(appId, 'held');
          const profiles = await sides.of(home)(`select from ${schemaOf(home)}.profiles where client_user_id = 'held'`);
          return [selections, facts, profiles].map((rows) => rows.length);
        });
        expect(seen).toEqual([0, 0, 0]);
        expect(done.toSorted()).toEqual(['create', 'note', 'rename', 'save']);
      } finally {
        await transactions.close();
      }
    });

    test('reads other homes while one is waited for', async () => {
      const made = await Promise.all(times(30, (nth) => userAt(nth)));
      const lock = new pg.Client({ connectionString: url });
      await lock.connect();
      try {
        const users = await dump.read([USERS, FACTS], async (rows) => {
          await lock.query(`begin; lock table ${schemaOf(0)}.users in access exclusive mode`);
          const reading = allRows(rows, USERS);
          const read = async () =>
            (
              await run(
                url,
                `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
                   and query ~ '_home_[12]."users"'`,
              )
            ).rowCount;
          await expect.poll(read).toBe(2);
          await lock.query('rollback');
          return reading;
        });
        expect(users.length).toBeGreaterThanOrEqual(made.length);
      } finally {
        await lock.end();
      }
    });

    test('keeps homes where they are until its end', async () => {
      const made = await Promise.all(times(30, (nth) => userAt(nth)));
      const shard = homes.shard(0, 'guard');
      const where = async () =>
        (await run(url, `select nodename, nodeport from pg_dist_shard_placement where shardid = ${shard}`)).rows[0];
      const from = await where();
      const nodes = await run(
        url,
        `select nodename, nodeport from pg_dist_node where shouldhaveshards and nodeport <> ${from.nodeport}`,
      );
      const to = nodes.rows[0];
      let moving: Promise<unknown> | undefined;
      const users = await dump.read([USERS, FACTS], async (rows) => {
        moving = run(
          url,
          `select citus_move_shard_placement(${shard}, '${from.nodename}', ${from.nodeport}, '${to.nodename}', ${to.nodeport}, 'block_writes')`,
        );
        const waiting = async () =>
          (
            await run(
              url,
              `select 1 from pg_locks where not granted and relation = '${schemaOf(0)}.webhook_responses'::regclass`,
            )
          ).rowCount;
        await expect.poll(waiting).toBe(1);
        return allRows(rows, USERS);
      });
      await moving;
      expect(await where()).toEqual(to);
      expect(users.length).toBeGreaterThanOrEqual(made.length);
      // What was moved is read from where it is now.
      expect(await dump.read([USERS, FACTS], (rows) => allRows(rows, USERS))).toEqual(users);
    });

    test('waits for a long change, without keeping others waiting for long', async () => {
      const [slow, quick] = [await userAt(0), await userAt(1)];
      const raise = statement('update users set link_generation = $2 where user_id = $1');
      const cluster = new Cluster(homes, pool);
      const { promise: written, resolve: whenWritten } = Promise.withResolvers<void>();
      let isCommitted = false;
      const change = cluster
        .together(async (inner) => {
          await inner.ofUser(slow.userId).connections.write(raise, [slow.userId, 7]);
          whenWritten();
          await sleep(4000);
        }, 60_000)
        .then(() => {
          isCommitted = true;
        });
      await written;
      const reading = dump.read([USERS, FACTS], async (rows) => {
        expect(isCommitted).toBe(true);
        return allRows(rows, USERS);
      });
      let isRead = false;
      const over = reading.catch(() => {}).then(() => (isRead = true));
      let slowest = 0;
      for (let n = 1; !isRead; n++) {
        const from = performance.now();
        await cluster.ofUser(quick.userId).connections.write(raise, [quick.userId, n]);
        slowest = Math.max(slowest, performance.now() - from);
      }
      await over;
      await change;
      const rows = await reading;
      const id = slow.userId.replaceAll('-', '');
      expect(rows.find(([found]) => Buffer.from(found as Uint8Array).toString('hex') === id)?.[1]).toBe(7);
      expect(slowest).toBeLessThan(4000);
    });

    test('fails at its deadline with a suggested fix, and releases its locks', async () => {
      const { userId } = await userAt(0);
      const raise = statement('update users set link_generation = 9 where user_id = $1');
      const cluster = new Cluster(homes, pool);
      const transactions = new Transactions(new Servers(url));
      try {
        await cluster.together(async (inner) => {
          await inner.ofUser(userId).connections.write(raise, [userId]);
          const moment = { homes, tables: 'facts', statementMs: MINUTE, prepare: async () => {}, deadlineMs: 1000 };
          await expect(readConsistently(transactions, moment, async () => 'read')).rejects.toMatchObject({
            message: expect.stringContaining('no consistent snapshot'),
            remedy: expect.stringContaining('citus_rebalance_status'),
          });
          // Another home's writers are not kept waiting any more.
          await userAt(1);
        }, MINUTE);
      } finally {
        await transactions.close();
      }
    });

    test('ends when a worker breaks off, and is not read from two moments', async () => {
      await expect(
        dump.read([USERS, FACTS], async (rows) => {
          for (const node of citus.urls.slice(1)) {
            const there = Object.assign(new URL(node), { pathname: new URL(url).pathname });
            const ended = await run(
              there.href,
              `select pg_terminate_backend(pid) from pg_stat_activity
               where datname = current_database() and state = 'idle in transaction'`,
            );
            expect(ended.rowCount).toBeGreaterThan(0);
          }
          return allRows(rows, USERS);
        }),
      ).rejects.toThrow('PostgreSQL');
    });
  });

  test('a restore whose last commit fails leaves an empty cluster for the next one', async () => {
    const source = await newCluster();
    const storage = await (await storageDriver(source)).open();
    const appId = await createApplication(storage);
    for (let nth = 0; nth < 30; nth++) await createUser(storage, appId);
    await storage.close();
    const file = scratchFile('backup');
    const made = await commandLine(source, inThread).json('backup', file);

    const url = await newCluster();
    // Homes have committed by then.
    await run(
      url,
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
       create constraint trigger refused after insert on applications deferrable initially deferred for each row execute function refuse()`,
    );
    const { code, stderr } = await commandLine(url, inThread).run('restore', file);
    expect(stderr).toContain('refused');
    expect(code).toBe(1);
    expect(await (await storageDriver(url)).dump.contents()).toEqual({ applications: 0, users: 30, accounts: 0 });
    await run(url, 'drop trigger refused on applications');
    expect(await commandLine(url, inThread).json('restore', file)).toMatchObject({ replaced: null });
    expect(byName(await summarizeDatabase(url))).toEqual(byName(made.tables));
  });

  test('is restored into every kind of database and back, each row in its home', async () => {
    const url = await newCluster();
    const storage = await (await storageDriver(url)).open();
    const pool = new ConnectionPool(url);
    const homes = (await pool.transaction(findHomes)) as Homes;
    await pool.close();
    const appId = await createApplication(storage);
    const near = await Promise.all(times(600, () => createUser(storage, appId)));
    for (const { userId } of near.slice(0, 20)) await storage.selections.save(appId, userId, [selection('å')], CHANGE);
    const [first, gone, renamed] = near as [(typeof near)[0], (typeof near)[0], (typeof near)[0]];
    await storage.tokens.exchange(first.specialToken.tokenHash, NOW, accessToken());
    await storage.users.update(appId, renamed.userId, { clientUserId: 'renamed' }, NOW);
    expect(await storage.users.delete(appId, gone.userId)).toBe('deleted');
    // One whose code was brought back after a restore or a distribution: other homes still have its hash.
    const far = times(12, (nth) => {
      const clientUserId = `far-${nth}`;
      return { clientUserId, userId: uuidAtHome(homeOfName(appId, clientUserId) + 1) };
    });
    const change = { at: NOW, ifThere: 'compare', importId: randomUUID() } as const;
    const entries = far.map((each) => ({
      ...{ ...each, clientUserName: 'Far', newUserId: randomUUID(), createdAt: NOW, selections: [] },
    }));
    const orphan = { ...(entries[0] as (typeof entries)[0]), clientUserId: 'orphan', userId: null, createdAt: null };
    const imported = await storage.transfer.importUsers(appId, [...entries, orphan], change);
    expect(imported).toMatchObject({ outcomes: [...far.map(() => 'created'), 'profile-created'] });
    const idempotency = { keyHash: hash(), bodyHash: hash(), expiresAt: NOW + MINUTE };
    const once = await createUser(storage, appId, { idempotency });
    await storage.trials.add(appId, 'trial', NOW);
    // As a concurrent delete leaves it: other databases refer to users in the audit log.
    const entry = { appId, at: NOW, actor: 'system', action: 'user.update', subject: 'x', before: null, after: null };
    await storage.audit.add({ ...entry, auditUid: randomUUID(), userId: first.userId } as never);
    await storage.audit.add({ ...entry, auditUid: randomUUID(), userId: null } as never);
    await run(url, `update audit_log set user_id = '${randomUUID()}' where user_id is null`);
    const { users: exported } = await storage.transfer.exportUsers(appId, { after: null, limit: 1000 });
    const events = await storage.events.read(appId, 'start', { limit: 1000 });
    await storage.close();

    const file = scratchFile('backup');
    const made = await commandLine(url, inThread).json('backup', file);
    const counts = Object.fromEntries(
      made.tables.map(({ name, rows }: { name: string; rows: number }) => [name, rows]),
    );
    expect(counts).toMatchObject({ applications: 1, users: 612, profiles: 613, deleted_users: 1, trial_users: 1 });

    const [plain, one] = [await postgres.empty(), await sqlite.empty()];
    const targets = [plain, one, await newCluster()];
    for (const target of targets) {
      await commandLine(target, inThread).json('restore', file);
      expect(byName(await summarizeDatabase(target))).toEqual(byName(made.tables));
    }
    // And from both of them into a cluster, in place of what is there.
    const replaced = await newCluster();
    for (const source of [plain, one]) {
      const again = scratchFile('backup');
      await commandLine(source, inThread).json('backup', again);
      const result = await commandLine(replaced, inThread).json('restore', again, '--replace', '--yes');
      expect(result.replaced).toEqual(source === plain ? null : { applications: 1, users: 612, accounts: 0 });
      expect(byName(await summarizeDatabase(replaced))).toEqual(byName(made.tables));
    }

    const restored = await (await storageDriver(replaced)).open();
    try {
      expect((await restored.transfer.exportUsers(appId, { after: null, limit: 1000 })).users).toEqual(exported);
      const found = await restored.events.read(appId, 'start', { limit: 1000 });
      expect(found).toMatchObject({ items: (events as { items: unknown[] }).items });
      for (const { clientUserId, userId } of [...far, first, { ...renamed, clientUserId: 'renamed' }]) {
        expect(await restored.users.find(appId, userId)).toMatchObject({ clientUserId });
        expect(await restored.users.findByClientUserId(appId, clientUserId)).toMatchObject({ userId });
        expect(await restored.users.createWithToken(user(appId, { clientUserId }))).toBe('duplicate');
      }
      expect(await restored.users.createWithToken(user(appId, { clientUserId: 'orphan' }))).toBe('profile-exists');
      expect(await restored.users.createWithToken({ ...once, userId: user(appId, once).userId })).toBe('replayed');
      const other = user(appId, { idempotency: { ...idempotency, bodyHash: hash() } });
      expect(await restored.users.createWithToken(other)).toBe('idempotency-mismatch');
      const back = { ...(entries[0] as (typeof entries)[0]), clientUserId: 'back', userId: gone.userId };
      expect(await restored.transfer.importUsers(appId, [back], change)).toMatchObject({ outcomes: ['deleted-since'] });
      const newest = await restored.events.newest();
      for (const { userId } of near.slice(2, 20)) {
        expect(await restored.selections.save(appId, userId, [selection('after')], CHANGE)).toMatchObject({
          outcome: 'saved',
        });
      }
      const later = await restored.events.read(appId, newest, { limit: 1000 });
      expect((later as { items: unknown[] }).items).toHaveLength(18);
      // A user deleted before the restore who is brought back is not deleted in the next backup either.
      const brought = await restored.transfer.importUsers(appId, [back], { ...change, restoreDeleted: true });
      expect(brought).toMatchObject({ outcomes: ['created'] });
    } finally {
      await restored.close();
    }
    const last = await summarizeDatabase(replaced);
    expect(byName(last)).toMatchObject({ deleted_users: { rows: 0 }, users: { rows: 613 } });
    for (const home of homes.all) {
      const { rows } = await run(replaced, `select user_id::text as id from ${schemaOf(home)}.users`);
      expect(rows.filter(({ id }) => homes.ofUser(id) !== home)).toEqual([]);
      expect(rows.length).toBeGreaterThan(100);
    }
  });
});
