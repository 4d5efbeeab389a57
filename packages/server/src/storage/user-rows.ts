import type { DeletedUser, UserChange, UserRecord } from './port.ts';

/** Tables whose rows are deleted with a user by foreign keys. */
const TABLES = [
  'special_tokens',
  'access_tokens',
  'idempotency_keys',
  'selections',
  'selection_events',
  'user_changes',
  'request_log',
  'webhook_responses',
] as const;

/** Members of a JSON object that counts the rows of a user, as SQL; `user` is the parameter with the id. */
export function countRows(user: string): string {
  const profile = `select count(*) from profiles p join users u on u.app_id = p.app_id and u.client_user_id = p.client_user_id and u.user_id = p.user_id
    where u.user_id = ${user}`;
  return [
    `'users', 1, 'profiles', (${profile})`,
    ...TABLES.map((table) => `'${table}', (select count(*) from ${table} where user_id = ${user})`),
  ].join(', ');
}

export type DeletedRow = { at: number; deleted_rows: string | null };

export function toDeletedUser({ at, deleted_rows: rows }: DeletedRow): DeletedUser {
  return { at, rows: rows === null ? null : (JSON.parse(rows) as Record<string, number>) };
}

/** What a change modifies; the same on every database. */
export function changedFields(before: UserRecord, change: UserChange): (keyof UserChange)[] {
  return (Object.keys(change) as (keyof UserChange)[]).filter(
    (name) => change[name] !== undefined && change[name] !== before[name],
  );
}
