import { typesOfChange } from '../event-rows.ts';
import type { CreateUserOutcome, NewUser, UpdateUserOutcome, UserChange, UserRecord, UserStore } from '../port.ts';
import { changedFields, countRows, type DeletedRow, toDeletedUser } from '../user-rules.ts';
import type { Connection } from './connection.ts';
import { addEvent, addUserChange } from './events.ts';
import {
  codeHash,
  PROFILE_OF_USER,
  toBytes,
  toUser,
  toUuid,
  USER_COLUMNS,
  USER_OF_PROFILE,
  type UserRow,
} from './rows.ts';
import { addSpecialToken, setSpecialToken } from './tokens.ts';

const FIND = `select ${USER_COLUMNS} from users u join ${PROFILE_OF_USER} where u.user_id = ? and u.app_id = ?`;

const FIND_BY_CLIENT_ID = `select ${USER_COLUMNS} from profiles p join ${USER_OF_PROFILE}
  where p.app_id = ? and p.client_user_id = ?`;

const DATABASE_NOW = "cast(unixepoch('subsec') * 1000 as integer)";

export function findUser(connection: Connection, appId: number, userId: string): UserRecord | undefined {
  const row = connection.rows<UserRow>(FIND).get(toBytes(userId), appId);
  return row && toUser(row);
}

export function userReads(
  connection: Connection,
): Pick<UserStore, 'find' | 'findByClientUserId' | 'linkGeneration' | 'findDeleted'> {
  return {
    async find(appId, userId) {
      return findUser(connection, appId, userId);
    },
    async findByClientUserId(appId, clientUserId) {
      const row = connection.rows<UserRow>(FIND_BY_CLIENT_ID).get(appId, clientUserId);
      return row && toUser(row);
    },
    async linkGeneration(appId, userId) {
      const sql = 'select link_generation from users where user_id = ? and app_id = ?';
      return connection.value(sql, toBytes(userId), appId);
    },
    async findDeleted(appId, userId) {
      const row = connection
        .statement<DeletedRow>('select at, deleted_rows from deleted_users where app_id = ? and code_hash = ?')
        .get(appId, codeHash(userId));
      return row && toDeletedUser(row);
    },
  };
}

const COUNT_ROWS = `select json_object(${countRows('?1')})`;

export function userActs(connection: Connection) {
  const { statement, rows, value } = connection;

  /** Why the profile could not be inserted. */
  const conflict = (appId: number, clientUserId: string): 'duplicate' | 'profile-exists' => {
    const owner = statement(
      `select 1 from profiles p join ${USER_OF_PROFILE} where p.app_id = ? and p.client_user_id = ?`,
    ).get(appId, clientUserId);
    return owner ? 'duplicate' : 'profile-exists';
  };

  return {
    createUserWithToken(user: NewUser): CreateUserOutcome {
      const { appId, clientUserId, clientUserName, createdAt, idempotency } = user;
      if (idempotency) {
        const known = statement<{ body_hash: Uint8Array; user_id: Uint8Array }>(
          'select body_hash, user_id from idempotency_keys where app_id = ? and key_hash = ? and expires_at > ?',
        ).get(appId, toBytes(idempotency.keyHash), createdAt);
        if (known) {
          if (!toBytes(idempotency.bodyHash).equals(known.body_hash)) return 'idempotency-mismatch';
          setSpecialToken(connection, known.user_id, user.specialToken);
          return 'replayed';
        }
      }

      const userId = toBytes(user.userId);
      const application = rows('select 1 from applications where app_id = ?').get(appId);
      if (!application) return 'application-gone';
      const { changes } = statement(
        'insert into profiles (app_id, client_user_id, user_id, client_user_name) values (?, ?, ?, ?) on conflict do nothing',
      ).run(appId, clientUserId, userId, clientUserName);
      if (changes === 0) return conflict(appId, clientUserId);
      statement('insert into users (user_id, app_id, client_user_id, created_at) values (?, ?, ?, ?)').run(
        userId,
        appId,
        clientUserId,
        createdAt,
      );
      addSpecialToken(connection, userId, user.specialToken);
      addEvent(connection, { appId, type: 'user.created', at: createdAt, userId });
      if (idempotency) {
        statement(
          'insert or replace into idempotency_keys (app_id, key_hash, body_hash, user_id, expires_at) values (?, ?, ?, ?, ?)',
        ).run(appId, toBytes(idempotency.keyHash), toBytes(idempotency.bodyHash), userId, idempotency.expiresAt);
      }
      return 'created';
    },

    updateUser(appId: number, userId: string, change: UserChange, at: number): UpdateUserOutcome {
      const id = toBytes(userId);
      const row = rows<UserRow>(FIND).get(id, appId);
      if (!row) return { outcome: 'unknown' };
      const before = toUser(row);
      const changed = changedFields(before, change);
      if (changed.length === 0) return { outcome: 'updated', user: before, changed };
      const user = { ...before, ...change, updatedAt: at };
      const { clientUserId, clientUserName, status } = user;
      // The profile's key decides which user gets the clientUserId.
      const { changes } = statement(
        `update or ignore profiles set client_user_id = ?, client_user_name = ?
         where app_id = ? and client_user_id = ? and user_id = ?`,
      ).run(clientUserId, clientUserName, appId, before.clientUserId, id);
      if (changes === 0) return { outcome: conflict(appId, clientUserId) };
      statement('update users set client_user_id = ?, status = ?, updated_at = ? where user_id = ?').run(
        clientUserId,
        status,
        at,
        id,
      );
      addUserChange(connection, typesOfChange(changed, status), { appId, userId: id, at, before });
      return { outcome: 'updated', user, changed };
    },

    withdrawLinks(appId: number, userId: string): 'withdrawn' | 'unknown' {
      const { changes } = statement(
        'update users set link_generation = link_generation + 1 where user_id = ? and app_id = ?',
      ).run(toBytes(userId), appId);
      return changes === 0 ? 'unknown' : 'withdrawn';
    },

    deleteUser(appId: number, userId: string): 'deleted' | 'unknown' {
      const counted = value<string>(COUNT_ROWS, toBytes(userId));
      if (removeUser(connection, appId, userId) === 'unknown') return 'unknown';
      statement(
        `insert or replace into deleted_users (app_id, code_hash, at, deleted_rows) values (?, ?, ${DATABASE_NOW}, ?)`,
      ).run(appId, codeHash(userId), counted);
      return 'deleted';
    },
  };
}

function removeUser(connection: Connection, appId: number, userId: string): 'deleted' | 'unknown' {
  const { statement, value } = connection;
  const id = toBytes(userId);
  const name = value<string | undefined>(
    'delete from users where user_id = ? and app_id = ? returning client_user_id',
    ...[id, appId],
  );
  if (name === undefined) return 'unknown';
  statement('delete from profiles where app_id = ? and client_user_id = ? and user_id = ?').run(appId, name, id);
  const at = value<number>(`select ${DATABASE_NOW}`);
  addEvent(connection, { appId, type: 'user.deleted', at, userId: id });
  return 'deleted';
}

export function trialActs(connection: Connection) {
  const { statement, value } = connection;

  return {
    addTrial(appId: number, clientUserId: string, endsAt: number): 'added' | 'application-gone' {
      if (!statement('select 1 from applications where app_id = ?').get(appId)) return 'application-gone';
      statement('insert into trial_users (app_id, client_user_id, ends_at) values (?, ?, ?)').run(
        appId,
        clientUserId,
        endsAt,
      );
      return 'added';
    },
    endTrial(appId: number, clientUserId: string): void {
      const { changes } = statement('delete from trial_users where app_id = ? and client_user_id = ?').run(
        appId,
        clientUserId,
      );
      if (changes === 0) return;
      const id = value<Uint8Array | undefined>(
        `select u.user_id from profiles p join ${USER_OF_PROFILE} where p.app_id = ? and p.client_user_id = ?`,
        ...[appId, clientUserId],
      );
      if (id) removeUser(connection, appId, toUuid(id));
    },
  };
}
