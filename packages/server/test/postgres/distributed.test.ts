import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage, StoredUser } from '../../src/storage/port.ts';
import { ConnectionPool } from '../../src/storage/postgres/connection-pool.ts';
import type { Connections, Statement } from '../../src/storage/postgres/connections.ts';
import { Cluster } from '../../src/storage/postgres/distributed/cluster.ts';
import { findHomes, HOME_TABLES, type Homes, schemaOf } from '../../src/storage/postgres/distributed/homes.ts';
import { distributedSelections } from '../../src/storage/postgres/distributed/selections.ts';
import { distributedTokens, distributedUsers } from '../../src/storage/postgres/distributed/users.ts';
import { MIGRATIONS } from '../../src/storage/postgres/migrations.ts';
import { homeOfName, textAtHome, uuidAtHome } from '../../src/uuid.ts';
import { type CitusCluster, copyTemplate, createUndistributed, run } from '../citus-cluster.ts';
import { inThread } from '../cli/in-thread.ts';
import { commandLine } from '../cli/run-innkeeper.ts';
import { accessToken, createApplication, createUser, hash, MINUTE, NOW, times, user } from '../contract/examples.ts';
import { scratchFile } from '../scratch-file.ts';

const execFileAsync = promisify(execFile);
const citus = inject('citus') as CitusCluster;
const selection = (value: string, keyNo = 1) => ({
  ...{ selectionId: randomUUID(), keyNo, revision: 1, value: JSON.stringify(value), language: null },
});

/** The last migration before users could be distributed. */
const BEFORE = 25;

test('later migrations declare which of their tables are in homes', () => {
  const ofUsers = new RegExp(`\\b(?:table|on|into|update|from)\\s+(?:${HOME_TABLES.join('|')})\\b`);
  for (const migration of MIGRATIONS.slice(BEFORE))
    if (typeof migration === 'string') expect(migration).not.toMatch(ofUsers);
});

// Skipped? CONTRIBUTING.md explains how to get Citus and set INNKEEPER_TEST_CITUS.
describe.skipIf(citus === null)('users on a Citus cluster', () => {
  describe('each act of one user', () => {
    let pool: ConnectionPool;
    let homes: Homes;
    let url: string;
    let storage: Storage;
    beforeAll(async () => {
      url = await copyTemplate(citus, `tasks_${randomUUID().slice(0, 8)}`);
      storage = await (await storageDriver(url)).open();
      pool = new ConnectionPool(url);
      homes = (await pool.transaction(findHomes)) as Homes;
    });
    afterAll(async () => {
      await pool.close();
      await storage.close();
    });

    /** Records the statements that are sent. */
    function recording(sent: { text: string; values: unknown[] }[]): Connections {
      const note = ({ text }: Statement, values: unknown[]): void => {
        sent.push({ text, values });
      };
      return {
        read: (statement, values = []) => {
          note(statement, values);
          return pool.read(statement, values);
        },
        write: (statement, values = []) => {
          note(statement, values);
          return pool.write(statement, values);
        },
        writeInTurn: (statement, values, keys) => {
          note(statement, [...values, '100']);
          return pool.writeInTurn(statement, values, keys);
        },
        writeWithOthers: (statement, act, keys) => {
          note(statement.together, [`[${JSON.stringify(act)}]`, '100']);
          return pool.writeWithOthers(statement, act, keys);
        },
        transaction: () => {
          throw new Error('An act of one user needs no transaction.');
        },
      };
    }

    test('is one statement, and one task of one node', async () => {
      const appId = await createApplication(storage);
      const sent: { text: string; values: unknown[] }[] = [];
      const cluster = new Cluster(homes, recording(sent));
      const [users, tokens, selections] = [
        distributedUsers(cluster),
        distributedTokens(cluster),
        distributedSelections(cluster),
      ];
      const wanted = user(appId);
      const home = homeOfName(appId, wanted.clientUserId);
      const access = { ...accessToken(), tokenId: uuidAtHome(home) };
      const fresh = { tokenHash: hash(), expiresAt: NOW + MINUTE };
      const change = { at: NOW, authMethod: 'access_token' } as const;
      const acts: Record<string, () => Promise<unknown>> = {
        create: () => users.createWithToken(wanted),
        exchange: () => tokens.exchange(wanted.specialToken.tokenHash, NOW, access, home),
        'read the token': () => tokens.findOwner(access.tokenId, NOW),
        save: () => selections.save(appId, wanted.userId, [selection('red'), selection('blue', 2)], change),
        'save again': () => selections.save(appId, wanted.userId, [selection('green')], change),
        list: () => selections.listOfToken(access.tokenId, NOW),
        'list by code': () => selections.list(wanted.userId),
        'list with the user': () => selections.listOfUser(appId, wanted.userId),
        'list one key with the user': () => selections.listOfUser(appId, wanted.userId, 1),
        'read the user': () => users.find(appId, wanted.userId),
        'read by name': () => users.findByClientUserId(appId, wanted.clientUserId),
        'new special token': () => tokens.replaceSpecialToken(appId, wanted.clientUserId, fresh),
        unset: () => selections.unsetKeys(wanted.userId, [2], change),
        revoke: () => tokens.revokeAll(appId, wanted.userId),
      };
      for (const [name, act] of Object.entries(acts)) {
        sent.length = 0;
        const outcome = await act();
        expect(outcome === undefined && name !== 'revoke', name).toBe(false);
        expect(sent, name).toHaveLength(1);
        const [{ text, values }] = sent as [{ text: string; values: unknown[] }];
        const plan = await pool.transaction((query) => query<{ 'QUERY PLAN': string }>(`explain ${text}`, values));
        const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
        expect(lines, name).toContain('Task Count: 1');
        expect(lines, name).not.toContain('Distributed Subplan');
      }
    });

    test('loses nothing while its home moves to another worker', async () => {
      const appId = await createApplication(storage);
      const { userId } = await createUser(storage, appId);
      const home = homes.ofUser(userId);
      const shard = homes.shard(home, 'guard');
      const nodes = await run(
        url,
        `select p.nodename, p.nodeport, o.nodename as name_to, o.nodeport as port_to from pg_dist_shard_placement p
           join pg_dist_node o on o.nodeport <> p.nodeport and o.shouldhaveshards where p.shardid = ${shard}`,
      );
      const { nodename, nodeport, name_to, port_to } = nodes.rows[0];
      let isOver = false;
      let saved = 0;
      const saving = times(4, async (writer) => {
        while (!isOver) {
          const change = { at: NOW, authMethod: 'user_uid' } as const;
          const outcome = await storage.selections.save(
            appId,
            userId,
            [selection(`${writer} ${saved}`, writer)],
            change,
          );
          if (outcome.outcome === 'saved') saved++;
        }
      });
      const where = `'${nodename}', ${nodeport}, '${name_to}', ${port_to}, 'block_writes'`;
      await run(url, `select citus_move_shard_placement(${shard}, ${where})`);
      const [moved] = (await run(url, `select nodeport from pg_dist_shard_placement where shardid = ${shard}`)).rows;
      const during = saved;
      await expect.poll(() => saved).toBeGreaterThan(during + 4);
      isOver = true;
      await Promise.all(saving);
      expect(moved.nodeport).toBe(port_to);
      const { total } = await storage.selections.history(userId, { offset: 0, limit: 1 });
      expect(total).toBe(saved);
    });
  });

  test('a survey of many keys leaves connections to other acts', async () => {
    const url = await copyTemplate(citus, `surveys_${randomUUID().slice(0, 8)}`);
    const before = await (await storageDriver(url)).open();
    const appId = await createApplication(before);
    await createUser(before, appId);
    await before.close();
    // An act fails if all connections are busy for longer than this.
    const storage = await (await storageDriver(url, undefined, 500)).open();
    try {
      const counted = await Promise.all(times(100, (keyNo) => storage.selections.countByValue(appId, keyNo, null)));
      expect(counted).toHaveLength(100);
    } finally {
      await storage.close();
    }
  });

  test('a name whose profile briefly outlives its user, as the delete commits home by home, is imported again', async () => {
    const url = await copyTemplate(citus, `halves_${randomUUID().slice(0, 8)}`);
    const storage = await (await storageDriver(url)).open();
    const pool = new ConnectionPool(url);
    try {
      const homes = (await pool.transaction(findHomes)) as Homes;
      const appId = await createApplication(storage);
      const clientUserId = 'far';
      const home = homes.ofName(appId, clientUserId);
      const before = uuidAtHome(home + 1);
      expect(homes.ofUser(before)).not.toBe(home);
      const change = { at: NOW, ifThere: 'compare', importId: randomUUID() } as const;
      const named = { clientUserId, clientUserName: 'Ada', userId: null, createdAt: NOW, selections: [] };
      const imported = (newUserId: string) =>
        storage.transfer.importUsers(appId, [{ ...named, newUserId }], change) as Promise<{ outcomes: unknown[] }>;
      expect((await imported(before)).outcomes).toEqual(['created']);
      expect(await storage.users.delete(appId, before)).toBe('deleted');
      const profile = `${appId}, '${clientUserId}', '${before}', 'Ada'`;
      await run(
        url,
        `insert into ${schemaOf(home)}.profiles (app_id, client_user_id, user_id, client_user_name) values (${profile})`,
      );
      const after = uuidAtHome(home + 2);
      expect((await imported(after)).outcomes).toEqual(['adopted']);
      expect(await storage.users.findByClientUserId(appId, clientUserId)).toMatchObject({ userId: after });
    } finally {
      await pool.close();
      await storage.close();
    }
  });

  test('existing users move to their homes with all data, once', async () => {
    const url = await createUndistributed(citus, `before_${randomUUID().slice(0, 8)}`);
    const before = await (await storageDriver(url)).open();
    const appId = await createApplication(before);
    const users = await Promise.all(
      times(20, (nth) => createUser(before, appId, nth % 2 === 0 ? {} : { userId: randomUUID() })),
    );
    const idempotency = { keyHash: hash(), bodyHash: hash(), expiresAt: NOW + MINUTE };
    await before.users.createWithToken(user(appId, { idempotency }));
    for (const { userId } of users) {
      await before.selections.save(appId, userId, [selection(userId)], { at: NOW, authMethod: 'user_uid' });
    }
    const access = accessToken();
    const [first, second] = users as [(typeof users)[number], (typeof users)[number]];
    await before.tokens.exchange(first.specialToken.tokenHash, NOW, access);
    const { users: exported } = await before.transfer.exportUsers(appId, { after: null, limit: 100 });
    const page = await before.events.read(appId, 'start', { limit: 1000 });
    await before.close();

    const cli = commandLine(url, inThread);
    expect(await cli.json('migrate', '--distribute')).toEqual({ workers: 2, homes: 32, moved: 21 });
    expect(await cli.json('migrate', '--distribute')).toEqual({ workers: 2, homes: 32, moved: 0 });
    expect(await cli.run('migrate')).toMatchObject({ code: 0 });

    const after = await (await storageDriver(url)).open();
    try {
      const byName = (list: StoredUser[]) => list.map(({ clientUserId }) => clientUserId);
      const { users: now } = await after.transfer.exportUsers(appId, { after: null, limit: 100 });
      expect(byName(now)).toEqual(byName(exported));
      expect(now).toEqual(exported);
      for (const { userId, clientUserId } of users) {
        expect(await after.users.find(appId, userId)).toMatchObject({ clientUserId });
        expect(await after.users.findByClientUserId(appId, clientUserId)).toMatchObject({ userId });
        expect(await after.users.createWithToken(user(appId, { clientUserId }))).toBe('duplicate');
      }
      expect(await after.tokens.findOwner(access.tokenId, NOW)).toMatchObject({ userId: first.userId });
      const other = { ...accessToken() };
      expect(await after.tokens.exchange(second.specialToken.tokenHash, NOW, other)).toMatchObject({
        userId: second.userId,
      });
      expect(await after.events.read(appId, 'start', { limit: 1000 })).toMatchObject({
        items: (page as { items: unknown[] }).items,
      });
      expect(await after.users.delete(appId, second.userId)).toBe('deleted');
      expect(await after.users.findByClientUserId(appId, second.clientUserId)).toBeUndefined();
      expect(await createUser(after, appId, { clientUserId: second.clientUserId })).toBeDefined();
    } finally {
      await after.close();
    }
    const { tables } = await cli.json('backup', scratchFile('backup'));
    expect(tables).toContainEqual(expect.objectContaining({ name: 'users', rows: 21 }));
    expect((await cli.run('doctor')).stdout).toContain('tables of 32 homes');
  });

  test('a pg_dump of the coordinator is restored into another cluster', async () => {
    const url = await copyTemplate(citus, `dumped_${randomUUID().slice(0, 8)}`);
    const before = await (await storageDriver(url)).open();
    const appId = await createApplication(before);
    const users = await Promise.all(times(12, () => createUser(before, appId)));
    const change = { at: NOW, authMethod: 'user_uid' } as const;
    for (const { userId } of users) await before.selections.save(appId, userId, [selection(userId)], change);
    const { users: exported } = await before.transfer.exportUsers(appId, { after: null, limit: 100 });
    await before.close();

    const restored = await createUndistributed(citus, `restored_${randomUUID().slice(0, 8)}`);
    const bin = process.env.INNKEEPER_TEST_CITUS as string;
    const { stdout: dump } = await execFileAsync(
      join(bin, 'pg_dump'),
      ['--no-owner', '--no-privileges', '--dbname', url],
      { maxBuffer: 2 ** 28 },
    );
    const psql = execFileAsync(join(bin, 'psql'), ['-q', '-o', '/dev/null', '-v', 'ON_ERROR_STOP=1', restored], {
      // With this option, tables created in a new schema are distributed with it.
      env: { ...process.env, PGOPTIONS: '-c citus.enable_schema_based_sharding=on' },
    });
    psql.child.stdin?.end(dump);
    await psql;
    expect(await commandLine(restored, inThread).json('migrate', '--distribute')).toMatchObject({
      workers: 2,
      moved: 0,
    });

    const after = await (await storageDriver(restored)).open();
    try {
      expect((await after.transfer.exportUsers(appId, { after: null, limit: 100 })).users).toEqual(exported);
      const { rows } = await run(restored, 'select count(*)::int as n from citus_schemas');
      expect(rows).toEqual([{ n: 3 }]);
      for (const { userId } of users) {
        expect(await after.selections.save(appId, userId, [selection('after')], change)).toMatchObject({
          outcome: 'saved',
        });
      }
      const last = await after.events.read(appId, 'start', { limit: 1000 });
      expect((last as { items: unknown[] }).items).toHaveLength(12 * 3);
    } finally {
      await after.close();
    }
  });

  test('a special token contains its home in its first two characters', () => {
    expect(textAtHome(0xfff, 'abcd')).toBe('__cd');
    expect(schemaOf(3)).toBe('innkeeper_home_3');
  });
});
