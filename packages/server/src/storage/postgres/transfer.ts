import { randomUUIDv7 } from 'node:crypto';
import { typeOfImport } from '../event-rows.ts';
import { toUserPage, USER_BYTES } from '../pages.ts';
import {
  type IfThere,
  type ImportChange,
  type ImportEntry,
  type ImportOutcome,
  type ImportSelection,
  StorageUnavailable,
  type StoredUser,
  type TransferStore,
} from '../port.ts';
import { isRestored, planEntry, type StoredProfile } from '../user-rules.ts';
import { type Connections, statement } from './connections.ts';
import { violation } from './errors.ts';
import { addEvents, addUserChanges, type ChangedUser } from './events.ts';
import { untilFull } from './rows.ts';
import type { Query } from './transactions.ts';
import { codeHash } from './users.ts';

/** Imports hundreds of users in one statement. */
export const IMPORT_MS = 60_000;
const MAX_ROUNDS = 20;

// A profile's user is the one it names, if that user has the same name: any other has the id by chance. Each is looked
// up separately (lateral): while an import fills the tables, the planner has no statistics, and would read all users
// for every page.
const usersWhere = (which: string, profiles = 'profiles'): string => `
  select p.client_user_id as "clientUserId", p.client_user_name as "clientUserName", p.user_id as "userId",
    u.created_at as "createdAt", u.status, u.updated_at as "updatedAt", coalesce((
      select json_agg(json_build_object('selectionId', selection_id, 'keyNo', key_no, 'revision', revision,
        'value', value, 'language', language, 'texts', texts, 'version', last_event, 'createdAt', s.created_at, 'updatedAt', updated_at) order by key_no)
      from selections s where s.user_id = u.user_id), '[]') as selections
  from ${profiles} p left join lateral (
    select user_id, created_at, status, updated_at from users
    where user_id = p.user_id and app_id = p.app_id and client_user_id = p.client_user_id limit 1
  ) u on true
  where p.app_id = $1 and ${which}
`;
// No clientUserId is empty.
const EXPORT = statement(`
  with found as (
    select p.*, ${USER_BYTES} as bytes from profiles p
    where p.app_id = $1 and p.client_user_id > $2 order by p.client_user_id limit $3
  ), page as materialized (${untilFull('found', 'client_user_id', 'bytes')})
  ${usersWhere('true order by p.client_user_id', 'page')}
`);
const FIND = statement(usersWhere('p.client_user_id = $2'));

export function transferStore(connections: Connections): TransferStore {
  return {
    async exportUsers(appId, { after, limit }) {
      return toUserPage(await connections.read<StoredUser>(EXPORT, [appId, after ?? '', limit]), limit);
    },
    async find(appId, clientUserId) {
      return (await connections.read<StoredUser>(FIND, [appId, clientUserId]))[0];
    },
    async importUsers(appId, entries, change) {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        try {
          const outcomes = await connections.transaction(
            (query) => importEntries(query, appId, entries, change),
            IMPORT_MS,
          );
          return { outcomes };
        } catch (error) {
          if (violation(error)?.constraint.endsWith('_application')) return { outcome: 'application-gone' };
          if (!(error instanceof Overtaken)) throw error;
        }
      }
      throw new StorageUnavailable('Others keep creating and deleting the same users.');
    },
  };
}

/** Another transaction interfered: this one is rolled back, and the next one sees the other's changes. */
class Overtaken extends Error {}

/**
 * Reads what exists, then writes; every write says whether it found what was read. Rows are locked in the same order as
 * elsewhere (a user before its profile), and each kind in a fixed order.
 */
async function importEntries(
  query: Query,
  appId: number,
  entries: readonly ImportEntry[],
  { at, ifThere, restoreDeleted, withoutEvents = false }: ImportChange,
): Promise<ImportOutcome[]> {
  const stored = await readStored(query, appId, entries, ifThere);
  // Read after the existing users, so that it includes a user deleted in between.
  const deleted = restoreDeleted ? new Set<string>() : await readDeleted(query, appId, entries);
  const taken = await readTaken(query, entries, stored);
  const isTaken = (userId: string): boolean => taken.has(userId);

  const added: AddedUser[] = [];
  const updated: UpdatedUser[] = [];
  const events: ChangedUser[] = [];
  const outcomes = entries.map((entry): ImportOutcome => {
    const { clientUserId, clientUserName, createdAt, status, updatedAt, selections } = entry;
    const add = (userId: string, adopts: string | null): void => {
      // A later entry may have the same id.
      if (createdAt !== null) taken.add(userId);
      added.push({ clientUserId, clientUserName, userId, createdAt, status, updatedAt, adopts, selections });
    };
    if (entry.userId !== null && deleted.has(entry.userId)) return 'deleted-since';
    const found = stored.get(clientUserId);
    if (!found) {
      if (entry.userId !== null && isTaken(entry.userId)) return 'user-id-taken';
      add(entry.userId ?? entry.newUserId, null);
      return createdAt === null ? 'profile-created' : 'created';
    }
    const step = planEntry(entry, found, ifThere, isTaken);
    if (step.do === 'nothing') return step.outcome;
    if (step.do === 'adopt') {
      add(step.userId, found.userId);
      return 'adopted';
    }
    const saved = step.save.map((index) => ({
      ...(selections[index] as ImportSelection),
      // The given id may already be in its history.
      selectionId: randomUUIDv7(),
    }));
    const renamed = step.rename ? clientUserName : null;
    const replaced = saved.filter(({ keyNo }) => found.selections.has(keyNo)).length;
    const about = { clientUserId, userId: found.userId, hasUser: found.hasUser, renamed, status: step.status };
    if (found.status !== null && !withoutEvents) {
      const before = { clientUserId, clientUserName: found.clientUserName, status: found.status };
      events.push({ userId: found.userId, type: typeOfImport(step.status), before });
    }
    updated.push({ ...about, selections: saved, replaced });
    return step.outcome;
  });
  if (updated.length > 0) await update(query, appId, updated, at);
  if (events.length > 0) await addUserChanges(query, appId, at, events);
  if (added.length > 0) await add(query, appId, added, { at, withoutEvents });
  if (restoreDeleted) {
    const restored = entries.filter((entry, index) => isRestored(entry, outcomes[index] as ImportOutcome));
    if (restored.length > 0) await query(FORGET_DELETED, [appId, JSON.stringify(restored.map(({ userId }) => userId))]);
  }
  return outcomes;
}

async function readStored(
  query: Query,
  appId: number,
  entries: readonly ImportEntry[],
  ifThere: IfThere,
): Promise<Map<string, StoredProfile>> {
  const rows = await query<StoredUser>(
    usersWhere('p.client_user_id = any (array(select json_array_elements_text($2::json)))'),
    [appId, JSON.stringify(entries.map(({ clientUserId }) => clientUserId))],
  );
  const userIds = rows.map(({ userId }) => userId);
  const unset = ifThere === 'update' && rows.length > 0 ? await readUnset(query, userIds) : new Map();
  return new Map(
    rows.map(({ clientUserId, clientUserName, userId, createdAt, status, selections }) => [
      clientUserId,
      {
        userId,
        clientUserName,
        hasUser: createdAt !== null,
        status,
        selections: new Map(
          selections.map(({ keyNo, value, language, texts, updatedAt }) => [
            keyNo,
            { value, language, texts, updatedAt },
          ]),
        ),
        unsetAt: unset.get(userId) ?? new Map(),
      },
    ]),
  );
}

/** When a key was last unset, by user and key number. */
async function readUnset(query: Query, userIds: readonly string[]): Promise<Map<string, Map<number, number>>> {
  const rows = await query<{ user_id: string; key_no: number; at: number }>(
    `select user_id, key_no, max(at) as at from selection_events
     where user_id = any (array(select json_array_elements_text($1::json)::uuid)) and to_value is null group by 1, 2`,
    [JSON.stringify(userIds)],
  );
  const unset = new Map<string, Map<number, number>>();
  for (const { user_id, key_no, at } of rows) {
    const ofUser = unset.get(user_id) ?? new Map<number, number>();
    unset.set(user_id, ofUser.set(key_no, at));
  }
  return unset;
}

const THESE_CODES = 'json_array_elements_text($2::json) as w (code)';
const IS_THEIRS = `d.app_id = $1 and d.code_hash = ${codeHash('w.code')}`;
const FIND_DELETED = `select w.code from ${THESE_CODES} join deleted_users d on ${IS_THEIRS}`;
const FORGET_DELETED = `delete from deleted_users d using ${THESE_CODES} where ${IS_THEIRS}`;

/** The ids in the entries whose users were deleted. */
async function readDeleted(query: Query, appId: number, entries: readonly ImportEntry[]): Promise<Set<string>> {
  const wanted = entries.flatMap(({ userId }) => userId ?? []);
  if (wanted.length === 0) return new Set();
  const rows = await query<{ code: string }>(FIND_DELETED, [appId, JSON.stringify(wanted)]);
  return new Set(rows.map(({ code }) => code));
}

/** The ids in entries or orphaned profiles that belong to a user. */
async function readTaken(
  query: Query,
  entries: readonly ImportEntry[],
  stored: ReadonlyMap<string, StoredProfile>,
): Promise<Set<string>> {
  const wanted = [
    ...entries.flatMap(({ userId }) => (userId === null ? [] : [userId])),
    ...[...stored.values()].flatMap(({ userId, hasUser }) => (hasUser ? [] : [userId])),
  ];
  if (wanted.length === 0) return new Set();
  const rows = await query<{ user_id: string }>(
    'select user_id from users where user_id = any (array(select json_array_elements_text($1::json)::uuid))',
    [JSON.stringify(wanted)],
  );
  return new Set(rows.map(({ user_id }) => user_id));
}

type AddedUser = Pick<
  ImportEntry,
  'clientUserId' | 'clientUserName' | 'createdAt' | 'status' | 'updatedAt' | 'selections'
> & {
  userId: string;
  /** The user that the existing profile now names. */
  adopts: string | null;
};

// JSON instead of arrays: pg takes 15 times as long to serialize an array as one JSON text.
const ADD = `
  with entry as materialized (
    select * from json_to_recordset($2::json) as e ("clientUserId" text, "clientUserName" text, "createdAt" bigint,
      status text, "updatedAt" bigint, "userId" uuid, adopts uuid)
  ), profile as (
    insert into profiles (app_id, client_user_id, user_id, client_user_name)
    select $1::bigint, "clientUserId", "userId", "clientUserName" from entry where adopts is null
    order by "clientUserId" collate "C"
    on conflict (app_id, client_user_id) do nothing returning 1
  ), account as (
    insert into users (user_id, app_id, client_user_id, created_at, status, updated_at)
    select "userId", $1::bigint, "clientUserId", "createdAt", coalesce(status, 'active'), "updatedAt" from entry where "createdAt" is not null
    on conflict (user_id) do nothing returning user_id, app_id
  ), noted as (${addEvents('user.created', '$4::bigint', 'account')} and not $5::boolean), selection as (
    insert into selections (user_id, app_id, last_event, selection_id, key_no, revision, value, language, texts, created_at, updated_at, means)
    select s."userId", $1::bigint, 1, s."selectionId", s."keyNo", s.revision, s.value, s.language, s.texts, s."createdAt", s."updatedAt", 'import'
    from json_to_recordset($3::json) as s ("userId" uuid, "selectionId" uuid, "keyNo" integer, revision integer,
      value text, language text, texts text, "createdAt" bigint, "updatedAt" bigint)
    returning user_id, selection_id, key_no, value, language
  ), reported as (
    insert into selection_events (user_id, selection_id, event_no, key_no, at, means, language, from_value, to_value)
    select user_id, selection_id, 1, key_no, $4::bigint, 'import', language, null, value from selection
  )
  select (select count(*) from profile) as profiles, (select count(*) from account) as users
`;

const ADOPT = `
  with entry as materialized (
    select * from json_to_recordset($2::json) as e ("clientUserId" text, "clientUserName" text, "userId" uuid, adopts uuid)
  )
  update profiles p set user_id = e."userId", client_user_name = e."clientUserName" from entry e
  where p.app_id = $1 and p.client_user_id = any (array(select "clientUserId" from entry))
    and p.client_user_id = e."clientUserId" and p.user_id = e.adopts
  returning p.user_id
`;

async function add(
  query: Query,
  appId: number,
  added: readonly AddedUser[],
  { at, withoutEvents }: { at: number; withoutEvents: boolean },
): Promise<void> {
  const users = added.map(({ selections: _, ...user }) => user);
  const selections = added.flatMap(({ userId, selections }) =>
    selections.map((selection) => ({ userId, ...selection })),
  );
  const adopted = users.filter(({ adopts }) => adopts !== null);
  if (adopted.length > 0) {
    const changed = await query(ADOPT, [appId, JSON.stringify(adopted)]);
    if (changed.length !== adopted.length) throw new Overtaken();
  }
  const values = [appId, JSON.stringify(users), JSON.stringify(selections), at, withoutEvents];
  const [row] = await query<{ profiles: number; users: number }>(ADD, values).catch((error: unknown) => {
    // Selections went to a user that another transaction created at the same time.
    throw violation(error)?.kind === 'unique' ? new Overtaken() : error;
  });
  const withUser = users.filter(({ createdAt }) => createdAt !== null).length;
  if (row?.profiles !== users.length - adopted.length || row.users !== withUser) throw new Overtaken();
}

type UpdatedUser = {
  clientUserId: string;
  userId: string;
  hasUser: boolean;
  renamed: string | null;
  status: ImportEntry['status'] | null;
  selections: ImportSelection[];
  /** How many of them existed. */
  replaced: number;
};

const RENAME = `
  with entry as materialized (
    select * from json_to_recordset($2::json) as e ("clientUserId" text, "userId" uuid, renamed text)
  )
  update profiles p set client_user_name = e.renamed from entry e
  where p.app_id = $1 and p.client_user_id = any (array(select "clientUserId" from entry))
    and p.client_user_id = e."clientUserId" and p.user_id = e."userId" and e.renamed is not null
  returning p.user_id
`;

const RESTATE = `
  update users u set status = coalesce(e.status, u.status), updated_at = $2::bigint
  from json_to_recordset($1::json) as e ("userId" uuid, status text) where u.user_id = e."userId"
`;

const SAVE = `
  with saved as (
    insert into selections (user_id, app_id, last_event, selection_id, key_no, revision, value, language, texts, created_at, updated_at, means)
    select s."userId", $1::bigint, 1, s."selectionId", s."keyNo", s.revision, s.value, s.language, s.texts, s."createdAt", s."updatedAt", 'import'
    from json_to_recordset($2::json) as s ("userId" uuid, "selectionId" uuid, "keyNo" integer, revision integer,
      value text, language text, texts text, "createdAt" bigint, "updatedAt" bigint)
    order by s."userId", s."keyNo"
    on conflict (user_id, key_no) do update set
      revision = excluded.revision, value = excluded.value, language = excluded.language, texts = excluded.texts,
      updated_at = excluded.updated_at,
      last_event = selections.last_event + 1, previous_value = selections.value, means = excluded.means, shown_in = null
      where selections.updated_at <= excluded.updated_at
    returning user_id, selection_id, last_event, key_no, previous_value, value, language
  ), reported as (
    insert into selection_events (user_id, selection_id, event_no, key_no, at, means, language, from_value, to_value)
    select user_id, selection_id, last_event, key_no, $3::bigint, 'import', language, previous_value, value from saved
  )
  select count(*) as saved, count(*) filter (where last_event > 1) as replaced from saved
`;

async function update(query: Query, appId: number, updated: readonly UpdatedUser[], at: number): Promise<void> {
  const owners = updated.filter(({ hasUser }) => hasUser).map(({ userId }) => userId);
  const locked = await query(
    `select user_id from users where user_id = any (array(select json_array_elements_text($1::json)::uuid))
     order by user_id for key share`,
    [JSON.stringify(owners)],
  );
  if (locked.length !== owners.length) throw new Overtaken();
  const users = updated.map(({ clientUserId, userId, renamed }) => ({ clientUserId, userId, renamed }));
  const renamed = await query(RENAME, [appId, JSON.stringify(users)]);
  if (renamed.length !== users.filter(({ renamed }) => renamed !== null).length) throw new Overtaken();
  const changed = updated.filter(({ renamed, status, hasUser }) => hasUser && (renamed !== null || status !== null));
  if (changed.length > 0) {
    const entries = changed.map(({ userId, status }) => ({ userId, status }));
    await query(RESTATE, [JSON.stringify(entries), at]);
  }
  const selections = updated.flatMap(({ userId, selections }) =>
    selections.map((selection) => ({ userId, ...selection })),
  );
  const [row] = await query<{ saved: number; replaced: number }>(SAVE, [appId, JSON.stringify(selections), at]);
  // Saved or unset by the user since it was read.
  const replaced = updated.reduce((sum, user) => sum + user.replaced, 0);
  if (row?.saved !== selections.length || row.replaced !== replaced) throw new Overtaken();
}
