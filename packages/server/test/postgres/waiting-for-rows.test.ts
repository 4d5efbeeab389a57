import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { auditedStorage } from '../../src/storage/audited-storage.ts';
import { toBytes } from '../../src/storage/common/store.ts';
import type { ImportEntry, NewUser, Storage } from '../../src/storage/port.ts';
import { postgresDriver } from '../../src/storage/postgres/index.ts';
import { tokenIdToBytes } from '../../src/storage/postgres/rows.ts';
import { orderedUuid } from '../../src/uuid.ts';
import {
  accessToken,
  createApplication,
  createUser,
  hash,
  MINUTE,
  NOW,
  tally,
  times,
  user,
} from '../contract/examples.ts';
import { postgres } from '../databases.ts';

let url: string;
let storage: Storage;
let appId: number;
/** Another client of the database. */
let other: pg.Client;
beforeEach(async () => {
  url = await postgres.fresh();
  // Acts wait for rows as long as any test takes.
  storage = await postgresDriver(url, 600_000).open();
  appId = await createApplication(storage);
  other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query('begin');
});
afterEach(async () => {
  await other.end();
  await storage.close();
});

const token = () => ({ tokenHash: hash(), expiresAt: NOW + MINUTE });
const idempotency = () => ({ keyHash: hash(), bodyHash: hash(), expiresAt: NOW + MINUTE });
const entry = (): ImportEntry => {
  const { clientUserId, clientUserName, userId } = user(appId);
  return { clientUserId, clientUserName, userId: null, newUserId: userId, createdAt: NOW, selections: [] };
};
/** A retry of the same request: the domain gives it a new user id and a new special token. */
const repeat = (sent: NewUser): Promise<string> =>
  storage.users.createWithToken({ ...sent, userId: user(appId).userId, specialToken: token() });
const replace = async ({ clientUserId }: NewUser): Promise<string> =>
  (await storage.tokens.replaceSpecialToken(appId, clientUserId, token())).outcome;
const revokeAll = async ({ userId }: NewUser): Promise<string> => {
  await storage.tokens.revokeAll(appId, userId);
  return 'revoked';
};

/** Whether a statement waits for a row. */
const isAsking = async (): Promise<boolean> => {
  // Otherwise the statistics would be frozen for the rest of the transaction.
  await other.query('select pg_stat_clear_snapshot()');
  const asking = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  return (await other.query(asking)).rows.length > 0;
};

test('acts that wait for rows delay no others', async () => {
  const people = await Promise.all(times(18, () => createUser(storage, appId, { idempotency: idempotency() })));
  const [one, ...busy] = people.splice(0, 13) as [NewUser, ...NewUser[]];
  const held = [one, ...busy].map(({ userId }) => userId);
  await other.query('select from special_tokens where user_id = any($1) for update', [held]);
  const acts = [
    ...times(30, () => repeat(one)),
    ...busy.flatMap((each) => [replace(each), repeat(each), revokeAll(each)]),
    ...times(12, () => replace(one)),
  ];
  let waiting = acts.length;
  for (const act of acts) void act.finally(() => waiting--).catch(() => {});

  const innocent = people.flatMap((each) => [replace(each), repeat(each), revokeAll(each)]);
  expect(await tally(innocent)).toEqual({ issued: 5, replayed: 5, revoked: 5 });
  const duplicates = people.map(({ clientUserId }) => storage.users.createWithToken(user(appId, { clientUserId })));
  expect(await tally(duplicates)).toEqual({ duplicate: 5 });
  expect(await tally(people.map(({ userId }) => storage.users.delete(appId, userId)))).toEqual({ deleted: 5 });
  expect(waiting).toBe(acts.length);

  await other.query('rollback');
  expect(await tally(acts)).toEqual({ replayed: 42, issued: 24, revoked: 12 });
});

test('revoking all tokens also revokes the one that another replica exchanges meanwhile', async () => {
  for (const acts of [storage, auditedStorage(storage, () => 'ada@example.com', Date.now)]) {
    const { userId, specialToken } = await createUser(storage, appId);
    const { tokenId, issuedAt, expiresAt } = accessToken();
    await other.query('delete from special_tokens where token_hash = $1', [toBytes(specialToken.tokenHash)]);
    await other.query('insert into access_tokens (token_id, user_id, issued_at, expires_at) values ($1, $2, $3, $4)', [
      ...[tokenIdToBytes(tokenId), userId, issuedAt, expiresAt],
    ]);
    const revoked = acts.tokens.revokeAll(appId, userId);
    await expect.poll(isAsking, { interval: 5 }).toBe(true);
    await other.query('commit; begin');
    await revoked;
    expect(await storage.tokens.list(userId, NOW)).toEqual([]);
  }
});

test('writing the request log does not block deleting an application', async () => {
  const { userId } = await createUser(storage, appId);
  await other.query('delete from users where app_id = $1', [appId]);
  const parts = { path: '/', request: null, answer: null };
  const facts = { method: 'GET', route: '/', status: 200, code: null, milliseconds: 1, requestId: 'r', address: '' };
  const who = { userId, clientUserId: null, userAgent: '', credentials: 'bearer' as const };
  const request = { requestUid: orderedUuid(), appId, at: NOW, ...facts, ...who, full: parts, bare: parts };
  const logged = storage.requestLog.add([request]);
  await expect.poll(isAsking, { interval: 5 }).toBe(true);
  // It holds the application's row and waits for the user's. In a deadlock, PostgreSQL rejects whichever side checks
  // first.
  await other.query("set local deadlock_timeout = '500ms'");
  await other.query('delete from applications where app_id = $1', [appId]);
  await other.query('commit');
  await logged;
  expect(await storage.requestLog.count(appId, { from: 0, to: NOW + 1 })).toBe(0);
});

test('changes of locked users leave connections for other transactions', async () => {
  const people = await Promise.all(times(12, () => createUser(storage, appId)));
  await other.query('delete from users where app_id = $1', [appId]);
  const audited = auditedStorage(storage, () => 'ada@example.com', Date.now);
  const acts = people.map(({ userId }, index) =>
    (index % 2 ? storage : audited).users.update(appId, userId, { status: 'suspended' }, NOW),
  );
  let waiting = acts.length;
  for (const act of acts) void act.finally(() => waiting--).catch(() => {});
  for (const name of ['One', 'Two', 'Three']) {
    expect(await storage.applications.update(appId, { name })).toBe('updated');
  }
  expect(waiting).toBe(acts.length);
  await other.query('rollback');
  expect(await tally(acts.map(async (act) => (await act).outcome))).toEqual({ updated: 12 });
});

test('long acts leave a connection for short transactions', async () => {
  await other.query('lock table selections in access exclusive mode');
  const audited = auditedStorage(storage, () => 'ada@example.com', Date.now);
  const change = { at: NOW, ifThere: 'update' as const, importId: orderedUuid() };
  const acts: Promise<unknown>[] = [
    ...times(4, () => storage.selections.countByValue(appId, 1, null)),
    ...times(4, () => storage.transfer.importUsers(appId, [entry()], change)),
    ...times(4, () => audited.transfer.importUsers(appId, [entry()], change)),
  ];
  let waiting = acts.length;
  for (const act of acts) void act.finally(() => waiting--).catch(() => {});
  for (const name of ['One', 'Two', 'Three']) {
    expect(await storage.applications.update(appId, { name })).toBe('updated');
    expect(await audited.applications.update(appId, { name: `${name}!` })).toBe('updated');
  }
  expect(waiting).toBe(acts.length);
  await other.query('rollback');
  await Promise.all(acts);
  expect(await storage.applications.countUsers(appId)).toBe(8);
});

test('several processes migrate a new database concurrently, at any isolation level', async () => {
  const fresh = await postgres.empty();
  const name = new URL(fresh).pathname.slice(1);
  await postgres.execute(fresh, `alter database "${name}" set default_transaction_isolation = serializable`);
  const states = await Promise.all(times(3, () => postgresDriver(fresh).migrate()));
  for (const { applied, latest } of states) expect(applied).toBe(latest);
});
