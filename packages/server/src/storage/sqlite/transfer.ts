import { randomUUIDv7 } from 'node:crypto';
import { takePage } from '../../page-bytes.ts';
import { typeOfImport } from '../event-rows.ts';
import { toUserPage } from '../pages.ts';
import {
  type IfThere,
  type ImportChange,
  type ImportEntry,
  type ImportOutcome,
  type ImportSelection,
  type SelectionRecord,
  type StoredUser,
  sizeOfUser,
  type TransferStore,
  type UserStatus,
} from '../port.ts';
import { isRestored, planEntry, type StoredProfile } from '../user-rules.ts';
import type { Connection } from './connection.ts';
import { addEvent, addUserChange } from './events.ts';
import { codeHash, toBytes, toUuid, USER_OF_PROFILE } from './rows.ts';

const PROFILES = `select p.client_user_id, p.client_user_name, p.user_id, u.created_at, u.status, u.updated_at
  from profiles p left join ${USER_OF_PROFILE} where p.app_id = ?`;

type ProfileRow = Record<'client_user_id' | 'client_user_name', string> &
  Record<'created_at' | 'updated_at', number | null> & { user_id: Uint8Array; status: UserStatus | null };

type HeldRow = [keyNo: number, value: string, language: string | null, texts: string | null, updatedAt: number];
type SavedRow = [selectionId: Uint8Array, eventNo: number, previous: string | null];

export function transferReads(connection: Connection): Pick<TransferStore, 'exportUsers' | 'find'> {
  const { statement, snapshot } = connection;
  const withSelections = (row: ProfileRow): StoredUser => ({
    clientUserId: row.client_user_id,
    clientUserName: row.client_user_name,
    userId: toUuid(row.user_id),
    createdAt: row.created_at,
    status: row.status,
    updatedAt: row.updated_at,
    selections: row.created_at === null ? [] : selectionsOf(row.user_id),
  });
  const selectionsOf = (userId: Uint8Array): SelectionRecord[] =>
    statement<Omit<SelectionRecord, 'selectionId'> & { selectionId: Uint8Array }>(
      `select selection_id as selectionId, key_no as keyNo, revision, value, language, texts, last_event as version,
         created_at as createdAt, updated_at as updatedAt from selections where user_id = ? order by key_no`,
    )
      .all(userId)
      .map((row) => ({ ...row, selectionId: toUuid(row.selectionId) }));

  return {
    async exportUsers(appId, { after, limit }) {
      const next = statement<ProfileRow>(`${PROFILES} and p.client_user_id > ? order by p.client_user_id limit ?`);
      // No clientUserId is empty.
      return snapshot(() => {
        const users = takePage(next.iterate(appId, after ?? '', limit).map(withSelections), sizeOfUser);
        return toUserPage(users, limit);
      });
    },
    async find(appId, clientUserId) {
      return snapshot(() => {
        const row = statement<ProfileRow>(`${PROFILES} and p.client_user_id = ?`).get(appId, clientUserId);
        return row && withSelections(row);
      });
    },
  };
}

export function transferActs(connection: Connection) {
  const { statement, rows, value } = connection;

  const isTaken = (userId: string): boolean =>
    statement('select 1 from users where user_id = ?').get(toBytes(userId)) !== undefined;

  const wasDeleted = (appId: number, userId: string): boolean =>
    statement('select 1 from deleted_users where app_id = ? and code_hash = ?').get(appId, codeHash(userId)) !==
    undefined;

  const addUser = (appId: number, userId: Uint8Array, entry: ImportEntry): boolean => {
    const { clientUserId, createdAt, status = 'active', updatedAt = null } = entry;
    const { changes } = statement(
      `insert into users (user_id, app_id, client_user_id, created_at, status, updated_at) values (?, ?, ?, ?, ?, ?)
       on conflict do nothing`,
    ).run(userId, appId, clientUserId, createdAt, status, updatedAt);
    return changes === 1;
  };

  /** For a new user: nothing can conflict, and every row is new. */
  const addSelections = (appId: number, userId: Uint8Array, selections: ImportSelection[], at: number): void => {
    if (selections.length === 0) return;
    const add = statement(
      `insert into selections (user_id, key_no, app_id, selection_id, revision, value, language, texts, created_at, updated_at,
         last_event, means) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'import')`,
    );
    for (const { selectionId, keyNo, revision, value, language, texts = null, createdAt, updatedAt } of selections) {
      add.run(userId, keyNo, appId, toBytes(selectionId), revision, value, language, texts, createdAt, updatedAt);
    }
    statement(
      `insert into selection_events (user_id, selection_id, event_no, key_no, at, means, language, from_value, to_value)
       select user_id, selection_id, 1, key_no, ?, 'import', language, null, value from selections where user_id = ?`,
    ).run(at, userId);
  };

  /** For an existing user: the key may be saved already, and a given id may be in its history. */
  const saveSelection = (appId: number, userId: Uint8Array, selection: ImportSelection, at: number): void => {
    const { keyNo, revision, value, language, texts = null, createdAt, updatedAt } = selection;
    const newId = toBytes(randomUUIDv7());
    const [id, eventNo, previous] = rows<SavedRow>(
      `insert into selections (user_id, key_no, app_id, selection_id, revision, value, language, texts, created_at, updated_at,
         last_event, means) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 'import')
       on conflict (user_id, key_no) do update set revision = excluded.revision, value = excluded.value,
         language = excluded.language, texts = excluded.texts, updated_at = excluded.updated_at, last_event = last_event + 1,
         previous_value = value, means = excluded.means, shown_in = null
       returning selection_id, last_event, previous_value`,
    ).get(userId, keyNo, appId, newId, revision, value, language, texts, createdAt, updatedAt) as SavedRow;
    statement(
      `insert into selection_events (user_id, selection_id, event_no, key_no, at, means, language, from_value, to_value)
       values (?, ?, ?, ?, ?, 'import', ?, ?, ?)`,
    ).run(userId, id, eventNo, keyNo, at, language, previous, value);
  };

  const readStored = (appId: number, clientUserId: string, ifThere: IfThere): StoredProfile => {
    const row = statement<ProfileRow>(`${PROFILES} and p.client_user_id = ?`).get(appId, clientUserId) as ProfileRow;
    const selections = rows<HeldRow>(
      'select key_no, value, language, texts, updated_at from selections where user_id = ?',
    ).all(row.user_id);
    const unset = rows<[keyNo: number, at: number]>(
      'select key_no, max(at) as at from selection_events where user_id = ? and to_value is null group by key_no',
    );
    return {
      userId: toUuid(row.user_id),
      clientUserName: row.client_user_name,
      hasUser: row.created_at !== null,
      status: row.status,
      selections: new Map(
        selections.map(([keyNo, value, language, texts, updatedAt]) => [keyNo, { value, language, texts, updatedAt }]),
      ),
      unsetAt: new Map(ifThere === 'update' ? unset.all(row.user_id) : []),
    };
  };

  const importEntry = (appId: number, entry: ImportEntry, change: ImportChange): ImportOutcome => {
    const { clientUserId, clientUserName, selections } = entry;
    const { at, ifThere, restoreDeleted, withoutEvents } = change;
    if (!restoreDeleted && entry.userId !== null && wasDeleted(appId, entry.userId)) return 'deleted-since';
    const userId = toBytes(entry.userId ?? entry.newUserId);
    const { changes } = statement(
      'insert into profiles (app_id, client_user_id, user_id, client_user_name) values (?, ?, ?, ?) on conflict do nothing',
    ).run(appId, clientUserId, userId, clientUserName);
    if (changes === 1) {
      const fits =
        entry.createdAt === null ? entry.userId === null || !isTaken(entry.userId) : addUser(appId, userId, entry);
      if (!fits) {
        statement('delete from profiles where app_id = ? and client_user_id = ?').run(appId, clientUserId);
        return 'user-id-taken';
      }
      addSelections(appId, userId, selections, at);
      if (entry.createdAt === null) return 'profile-created';
      if (!withoutEvents) addEvent(connection, { appId, type: 'user.created', at, userId });
      return 'created';
    }

    const stored = readStored(appId, clientUserId, ifThere);
    const step = planEntry(entry, stored, ifThere, isTaken);
    if (step.do === 'nothing') return step.outcome;
    const rename = 'update profiles set client_user_name = ?, user_id = ? where app_id = ? and client_user_id = ?';
    if (step.do === 'adopt') {
      const adopted = toBytes(step.userId);
      statement(rename).run(clientUserName, adopted, appId, clientUserId);
      addUser(appId, adopted, entry);
      addSelections(appId, adopted, selections, at);
      if (!withoutEvents) addEvent(connection, { appId, type: 'user.created', at, userId: adopted });
      return 'adopted';
    }
    const owner = toBytes(stored.userId);
    if (step.rename) statement(rename).run(clientUserName, owner, appId, clientUserId);
    if (step.rename || step.status !== null) {
      statement('update users set status = coalesce(?, status), updated_at = ? where user_id = ?').run(
        step.status,
        at,
        owner,
      );
    }
    for (const index of step.save) saveSelection(appId, owner, selections[index] as ImportSelection, at);
    const { clientUserName: name, status } = stored;
    if (!withoutEvents && status !== null) {
      const before = { clientUserId, clientUserName: name, status };
      addUserChange(connection, [typeOfImport(step.status)], { appId, userId: owner, at, before });
    }
    return step.outcome;
  };

  const forgetDeleted = (appId: number, userId: string): void => {
    statement('delete from deleted_users where app_id = ? and code_hash = ?').run(appId, codeHash(userId));
  };

  let dataVersion: unknown;
  return {
    /** The entries as JSON: objects from another thread take this one longer to read. */
    importUsers(
      appId: number,
      entries: string,
      change: ImportChange,
    ): Awaited<ReturnType<TransferStore['importUsers']>> {
      if (!statement('select 1 from applications where app_id = ?').get(appId)) return { outcome: 'application-gone' };
      const outcomes = (JSON.parse(entries) as ImportEntry[]).map((entry) => {
        const outcome = importEntry(appId, entry, change);
        if (change.restoreDeleted && isRestored(entry, outcome)) forgetDeleted(appId, entry.userId);
        return outcome;
      });
      return { outcomes };
    },
    /** Whether another connection has committed since the last time. */
    didOthersWrite(): boolean {
      const before = dataVersion;
      dataVersion = value('pragma data_version');
      return before !== undefined && before !== dataVersion;
    },
  };
}
