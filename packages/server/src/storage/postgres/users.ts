import { checkedHex, toBytes } from '../common/store.ts';
import { typesOfChange } from '../event-rows.ts';
import {
  type CreateUserOutcome,
  type NewUser,
  StorageUnavailable,
  type TrialStore,
  type UpdateUserOutcome,
  type UserChange,
  type UserStore,
} from '../port.ts';
import { changedFields, countRows, type DeletedRow, toDeletedUser } from '../user-rules.ts';
import { DATABASE_NOW } from './clock.ts';
import { type Connections, statement, waitingStatement } from './connections.ts';
import { violation } from './errors.ts';
import { addEvents, addUserChanges } from './events.ts';
import { PROFILE_OF_USER, toUser, USER_COLUMNS, USER_OF_PROFILE, type UserRow } from './rows.ts';
import { actsOf, lockTimeout } from './statement-batcher.ts';
import type { Query } from './transactions.ts';

const FIND = statement(`
  select ${USER_COLUMNS} from users u join ${PROFILE_OF_USER} where u.user_id = $1 and u.app_id = $2
`);

const FIND_BY_CLIENT_ID = statement(`
  select ${USER_COLUMNS} from profiles p join ${USER_OF_PROFILE} where p.app_id = $1 and p.client_user_id = $2
`);

// The profile's key decides which request is first; the rest happens only if the profile was inserted. A statement sees
// the state at its start: a profile inserted since conflicts but is not visible, and the outcome is null. The statement
// is then sent again and sees it.
const CONFLICT = `
  when exists (select 1 from profiles p join ${USER_OF_PROFILE} where p.app_id = $1 and p.client_user_id = $2)
    then 'duplicate'
  when exists (select 1 from profiles p where p.app_id = $1 and p.client_user_id = $2)
    then 'profile-exists'
`;

const CREATED = addEvents('user.created', 'created_at', 'account');

// The common case, in batches. Rows are inserted in a fixed order, so that two such statements cannot deadlock. A known
// Idempotency-Key is looked up by a subquery through the index and creates nothing: it must not fail the statement,
// which would repeat the whole batch. Only a key that another replica uses at the same moment violates
// idempotency_keys_key.
const CREATE_NEW = waitingStatement(`
  with ${actsOf({
    appId: 'bigint',
    clientUserId: 'text',
    userId: 'uuid',
    clientUserName: 'text',
    createdAt: 'bigint',
    tokenHash: 'text',
    tokenExpiresAt: 'bigint',
    keyHash: 'text',
    bodyHash: 'text',
    keyExpiresAt: 'bigint',
  })}, profile as (
    insert into profiles (app_id, client_user_id, user_id, client_user_name)
    select "appId", "clientUserId", "userId", "clientUserName" from acts
    where "keyHash" is null or (
      select user_id from idempotency_keys where app_id = "appId" and key_hash = decode("keyHash", 'hex')
    ) is null
    order by "appId", "clientUserId"
    on conflict (app_id, client_user_id) do nothing returning user_id
  ), account as (
    insert into users (user_id, app_id, client_user_id, created_at)
    select a."userId", a."appId", a."clientUserId", a."createdAt" from acts a join profile p on p.user_id = a."userId"
    returning user_id, app_id, created_at
  ), noted as (${CREATED}), token as (
    insert into special_tokens (token_hash, user_id, expires_at)
    select decode(a."tokenHash", 'hex'), a."userId", a."tokenExpiresAt" from acts a join profile p on p.user_id = a."userId"
  ), used as (
    insert into idempotency_keys (app_id, key_hash, body_hash, user_id, expires_at)
    select a."appId", decode(a."keyHash", 'hex'), decode(a."bodyHash", 'hex'), a."userId", a."keyExpiresAt"
    from acts a join profile p on p.user_id = a."userId" where a."keyHash" is not null order by a."appId", a."keyHash"
  )
  select a.no from acts a join profile p on p.user_id = a."userId"
`);

const CREATE = statement(`
  with ${lockTimeout('$8')}, profile as (
    insert into profiles (app_id, client_user_id, user_id, client_user_name)
    select $1::bigint, $2::text, $3::uuid, $4::text from lock_wait
    on conflict (app_id, client_user_id) do nothing returning user_id
  ), account as (
    insert into users (user_id, app_id, client_user_id, created_at)
    select user_id, $1::bigint, $2::text, $5::bigint from profile returning user_id, app_id, created_at
  ), noted as (${CREATED}), token as (
    insert into special_tokens (token_hash, user_id, expires_at)
    select $6::bytea, user_id, $7::bigint from account
  )
  select case when exists (select 1 from account) then 'created' ${CONFLICT} end as outcome
`);

// As above, unless the key was used before. A key that another request uses at the same moment violates
// idempotency_keys_key and rolls back the statement.
const CREATE_ONCE = statement(`
  with ${lockTimeout('$11')}, prior as (
    select user_id, body_hash from lock_wait, idempotency_keys
    where app_id = $1::bigint and key_hash = $8::bytea and expires_at > $5::bigint
  ), profile as (
    insert into profiles (app_id, client_user_id, user_id, client_user_name)
    select $1::bigint, $2::text, $3::uuid, $4::text from lock_wait where not exists (select 1 from prior)
    on conflict (app_id, client_user_id) do nothing returning user_id
  ), account as (
    insert into users (user_id, app_id, client_user_id, created_at)
    select user_id, $1::bigint, $2::text, $5::bigint from profile returning user_id, app_id, created_at
  ), noted as (${CREATED}), used as (
    insert into idempotency_keys (app_id, key_hash, body_hash, user_id, expires_at)
    select $1::bigint, $8::bytea, $9::bytea, user_id, $10::bigint from account
  ), token as (
    insert into special_tokens (token_hash, user_id, expires_at)
    select $6::bytea, user_id, $7::bigint
    from (select user_id from account union all select user_id from prior where body_hash = $9::bytea) receiver
    on conflict (user_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at
  )
  select case
    when exists (select 1 from account) then 'created'
    when exists (select 1 from prior where body_hash = $9::bytea) then 'replayed'
    when exists (select 1 from prior) then 'idempotency-mismatch'
    ${CONFLICT} end as outcome
`);

const FORGET_EXPIRED_KEY = statement(
  'delete from idempotency_keys where app_id = $1 and key_hash = $2 and expires_at <= $3',
);

/** The hash of a user's code, as text: all that is kept of a deleted user (deleted_users). */
export const codeHash = (code: string): string => `sha256(convert_to(${code}, 'UTF8'))`;

// Tokens and idempotency keys are deleted by their foreign keys, in the same statement. After waiting for a user who was
// renamed meanwhile, the statement would not see the new profile: it deletes only the version of the user that it saw at
// its start. The outcome is null if that has changed, and the statement is sent again.
const DELETE = statement(`
  with ${lockTimeout('$3')}, gone as (
    delete from users u using lock_wait, users seen
    where u.user_id = $1 and u.app_id = $2 and seen.user_id = $1 and seen.ctid = u.ctid
    returning u.user_id, u.app_id, u.client_user_id
  ), profile as (
    delete from profiles p using gone g
    where p.app_id = g.app_id and p.client_user_id = g.client_user_id and p.user_id = g.user_id
  ), remembered as (
    insert into deleted_users (app_id, code_hash, at, deleted_rows)
    select app_id, ${codeHash('user_id::text')}, ${DATABASE_NOW}, json_build_object(${countRows('$1')})::text from gone
    on conflict (app_id, code_hash) do update set at = excluded.at, deleted_rows = excluded.deleted_rows
  ), noted as (${addEvents('user.deleted', DATABASE_NOW, 'gone')})
  select case
    when exists (select 1 from gone) then 'deleted'
    when not exists (select 1 from users where user_id = $1 and app_id = $2) then 'unknown' end as outcome
`);

const FIND_DELETED = statement(
  `select at, deleted_rows from deleted_users where app_id = $1 and code_hash = ${codeHash('$2::text')}`,
);

const LINK_GENERATION = statement('select link_generation from users where user_id = $1 and app_id = $2');

const WITHDRAW_LINKS = statement(`
  with ${lockTimeout('$3')}
  update users u set link_generation = u.link_generation + 1 from lock_wait where u.user_id = $1 and u.app_id = $2
  returning u.user_id
`);

const MAX_ROUNDS = 20;

export function userStore(
  connections: Connections,
): Omit<UserStore, 'page' | 'walk' | 'countWalk' | 'listValues' | 'names'> {
  return {
    async createWithToken(user) {
      if (await createNew(connections, user)) return 'created';
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const outcome = await tryCreate(connections, user);
        if (outcome) return outcome;
      }
      throw new StorageUnavailable('Others keep creating and deleting the same user.');
    },
    async find(appId, userId) {
      const [row] = await connections.read<UserRow>(FIND, [userId, appId]);
      return row && toUser(row);
    },
    async findByClientUserId(appId, clientUserId) {
      const [row] = await connections.read<UserRow>(FIND_BY_CLIENT_ID, [appId, clientUserId]);
      return row && toUser(row);
    },
    update: (appId, userId, change, at) =>
      connections.transaction((query) => update(query, { appId, userId, change, at })),
    async linkGeneration(appId, userId) {
      const [row] = await connections.read<{ link_generation: number }>(LINK_GENERATION, [userId, appId]);
      return row?.link_generation;
    },
    async findDeleted(appId, userId) {
      const [row] = await connections.read<DeletedRow>(FIND_DELETED, [appId, userId]);
      return row && toDeletedUser(row);
    },
    async withdrawLinks(appId, userId) {
      const rows = await connections.writeInTurn(WITHDRAW_LINKS, [userId, appId], [userId]);
      return rows.length > 0 ? 'withdrawn' : 'unknown';
    },
    async delete(appId, userId) {
      type Row = { outcome: 'deleted' | 'unknown' | null };
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const [row] = await connections.writeInTurn<Row>(DELETE, [userId, appId], [userId]);
        if (row?.outcome) return row.outcome;
      }
      throw new StorageUnavailable('Others keep changing the same user.');
    },
  };
}

/** Returns whether the user was created. If not, nothing changed, and tryCreate finds out why. */
async function createNew(connections: Connections, user: NewUser): Promise<boolean> {
  const { appId, clientUserId, userId, clientUserName, createdAt, specialToken, idempotency } = user;
  const token = { tokenHash: checkedHex(specialToken.tokenHash), tokenExpiresAt: specialToken.expiresAt };
  const once = idempotency && {
    keyHash: checkedHex(idempotency.keyHash),
    bodyHash: checkedHex(idempotency.bodyHash),
    keyExpiresAt: idempotency.expiresAt,
  };
  const act = { appId, clientUserId, userId, clientUserName, createdAt, ...token, ...once };
  try {
    const rows = await connections.writeWithOthers(CREATE_NEW, act, keysOf(user));
    return rows.length > 0;
  } catch (error) {
    if (violation(error)) return false;
    throw error;
  }
}

function keysOf({ appId, clientUserId, idempotency }: NewUser): string[] {
  return [`name ${appId} ${clientUserId}`, ...(idempotency ? [`once ${appId} ${idempotency.keyHash}`] : [])];
}

/** null if another request interfered: nothing changed, and its changes are visible now. */
async function tryCreate(connections: Connections, user: NewUser): Promise<CreateUserOutcome | null> {
  const { appId, clientUserId, userId, clientUserName, createdAt, specialToken, idempotency } = user;
  const values: unknown[] = [
    appId,
    clientUserId,
    userId,
    clientUserName,
    createdAt,
    toBytes(specialToken.tokenHash),
    specialToken.expiresAt,
  ];
  if (idempotency) values.push(toBytes(idempotency.keyHash), toBytes(idempotency.bodyHash), idempotency.expiresAt);
  try {
    const [row] = await connections.writeInTurn<{ outcome: CreateUserOutcome | null }>(
      idempotency ? CREATE_ONCE : CREATE,
      values,
      keysOf(user),
    );
    return row?.outcome ?? null;
  } catch (error) {
    const broken = violation(error);
    if (broken?.kind === 'foreign-key') {
      // The other foreign keys refer to the user of an earlier request, which was deleted meanwhile.
      return broken.constraint.endsWith('_application') ? 'application-gone' : null;
    }
    if (idempotency && broken?.constraint === 'idempotency_keys_key') {
      await connections.write(FORGET_EXPIRED_KEY, [appId, toBytes(idempotency.keyHash), createdAt]);
      return null;
    }
    throw error;
  }
}

type Update = { appId: number; userId: string; change: UserChange; at: number };

/** Locks the user before its profile, as everywhere, and before reading it: a statement that waits sees the old profile. */
async function update(query: Query, { appId, userId, change, at }: Update): Promise<UpdateUserOutcome> {
  await query('select user_id from users where user_id = $1 and app_id = $2 for no key update', [userId, appId]);
  const [row] = await query<UserRow>(FIND.text, [userId, appId]);
  if (!row) return { outcome: 'unknown' };
  const before = toUser(row);
  const changed = changedFields(before, change);
  if (changed.length === 0) return { outcome: 'updated', user: before, changed };
  const user = { ...before, ...change, updatedAt: at };
  const { clientUserId, clientUserName, status } = user;
  const place = [appId, before.clientUserId, userId];
  if (clientUserId === before.clientUserId) {
    if (changed.includes('clientUserName')) {
      await query(
        'update profiles set client_user_name = $4 where app_id = $1 and client_user_id = $2 and user_id = $3',
        [...place, clientUserName],
      );
    }
  } else {
    // Inserts a new row instead of changing the key of the old one: a conflicting row is waited for and seen, and fails
    // nothing.
    const added = await query(
      `insert into profiles (app_id, client_user_id, user_id, client_user_name) values ($1, $2, $3, $4)
       on conflict (app_id, client_user_id) do nothing returning user_id`,
      [appId, clientUserId, userId, clientUserName],
    );
    if (added.length === 0) {
      const [owner] = await query(FIND_BY_CLIENT_ID.text, [appId, clientUserId]);
      return { outcome: owner ? 'duplicate' : 'profile-exists' };
    }
    await query('delete from profiles where app_id = $1 and client_user_id = $2 and user_id = $3', place);
  }
  await query('update users set client_user_id = $2, status = $3, updated_at = $4 where user_id = $1', [
    userId,
    clientUserId,
    status,
    at,
  ]);
  const events = typesOfChange(changed, status).map((type, index) => ({
    userId,
    type,
    before: index === 0 ? before : null,
  }));
  await addUserChanges(query, appId, at, events);
  return { outcome: 'updated', user, changed };
}

const ADD = statement('insert into trial_users (app_id, client_user_id, ends_at) values ($1, $2, $3)');

/** Deletes records of trials, and the user of each, unless renamed meanwhile. */
export const endTrials = (which: string): string => `
  with trial as (
    delete from trial_users where ${which} returning app_id, client_user_id
  ), gone as (
    delete from users where (user_id, client_user_id) in (
      select u.user_id, u.client_user_id from trial t
      join profiles p on p.app_id = t.app_id and p.client_user_id = t.client_user_id
      join ${USER_OF_PROFILE}
    ) returning user_id, app_id, client_user_id
  ), profile as (
    delete from profiles p using gone g
    where p.app_id = g.app_id and p.client_user_id = g.client_user_id and p.user_id = g.user_id
  ), noted as (${addEvents('user.deleted', DATABASE_NOW, 'gone')})
  select count(*) as count from trial
`;

const END = statement(endTrials('app_id = $1 and client_user_id = $2'));

export function trialStore(connections: Connections): TrialStore {
  return {
    async add(appId, clientUserId, endsAt) {
      try {
        await connections.write(ADD, [appId, clientUserId, endsAt]);
        return 'added';
      } catch (error) {
        if (violation(error)?.kind === 'foreign-key') return 'application-gone';
        throw error;
      }
    },
    async end(appId, clientUserId) {
      await connections.write(END, [appId, clientUserId]);
    },
  };
}
