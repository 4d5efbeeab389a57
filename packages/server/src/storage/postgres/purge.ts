import { KEPT_AUDIT_MS, KEPT_DELETED_MS, KEPT_DELIVERIES_MS, KEPT_MS, KEPT_REQUESTS_MS } from '../port.ts';
import { type Connections, type Statement, statement } from './connections.ts';
import { endTrials } from './users.ts';

/** Maximum rows of each kind per purge, so that it holds few locks, and briefly. */
const BATCH = 1000;
const CHANGE_LOG_MS = 3600 * 1000;

// Rows in use are left for the next purge, which waits for no one.
const removeEnded = (table: string, key: string, end: string): string => `
  delete from ${table} where (${key}) in (
    select ${key} from ${table} where ${end} <= $1 limit ${BATCH} for update skip locked
  )
`;

const counting = (text: string) =>
  statement(`with removed as (${text} returning 1 as one) select count(*) as count from removed`);

const ENDED_OF_USERS = [
  removeEnded('special_tokens', 'token_hash', 'expires_at'),
  removeEnded('access_tokens', 'token_id', 'expires_at'),
  removeEnded('idempotency_keys', 'app_id, key_hash', 'expires_at'),
].map(counting);

const ENDED = [
  removeEnded('application_secrets', 'secret_hash', 'expires_at'),
  removeEnded('sign_in_links', 'link_hash', 'expires_at'),
  removeEnded('sessions', 'session_id', 'ends_at'),
  removeEnded('invitations', 'invitation_id', 'expires_at'),
  removeEnded('sign_in_attempts', 'subject_hash', 'due_at'),
  removeEnded('rate_limits', 'subject_hash', 'due_at'),
  // Public keys stay: receipts are verified years later.
  "update signing_keys set sealed_private_key = '' where published_until <= $1 and sealed_private_key <> ''",
].map(counting);

// Replicas poll several times a second; one that was away for an hour reloads everything.
const OLD_CHANGES = statement(`
  with removed as (
    delete from change_log where version in (
      select version from change_log where at <= $1 and version < (select max(version) from change_log)
      order by version limit ${BATCH}
    ) returning 1 as one
  )
  select count(*) as count from removed
`);

const ENDED_TRIALS = statement(
  endTrials(`(app_id, client_user_id) in (
    select app_id, client_user_id from trial_users where ends_at <= $1 limit ${BATCH} for update skip locked
  )`),
);

export const removeOlder = (table: string, key: string, end: string) => counting(removeEnded(table, key, end));
const OLD_REQUESTS = removeOlder('request_log', 'app_id, request_uid', 'at');
const OLD_DELIVERIES = removeOlder('webhook_deliveries', 'webhook_id, delivery_id', 'ended_at');
const OLD_AUDIT = removeOlder('audit_log', 'audit_uid', 'at');
const OLD_DELETED = removeOlder('deleted_users', 'app_id, code_hash', 'at');
const OLD_HOURS = removeOlder('activity', 'app_id, step, name, at', "step = 'hour' and at");
const OLD_DAYS = removeOlder('activity', 'app_id, step, name, at', "step = 'day' and at");

export async function purgeExpired(connections: Connections, now: number): Promise<number> {
  return (await purgeUsers(connections, now)) + (await purgeShared(connections, now));
}

/** Purges users' data. */
export function purgeUsers(connections: Connections, now: number): Promise<number> {
  return purge(connections, [
    ...ENDED_OF_USERS.map((ended): Purge => [ended, now]),
    [ENDED_TRIALS, now],
    [OLD_REQUESTS, now - KEPT_REQUESTS_MS],
    [OLD_DELETED, now - KEPT_DELETED_MS],
  ]);
}

/** Purges everything else. */
export function purgeShared(connections: Connections, now: number): Promise<number> {
  return purge(connections, [
    ...ENDED.map((ended): Purge => [ended, now]),
    [OLD_CHANGES, now - CHANGE_LOG_MS],
    [OLD_DELIVERIES, now - KEPT_DELIVERIES_MS],
    [OLD_AUDIT, now - KEPT_AUDIT_MS],
    [OLD_HOURS, now - KEPT_MS.hour],
    [OLD_DAYS, now - KEPT_MS.day],
  ]);
}

type Purge = [Statement, before: number];

async function purge(connections: Connections, purges: readonly Purge[]): Promise<number> {
  let removed = 0;
  for (const [statement, before] of purges) {
    const [row] = await connections.write<{ count: number }>(statement, [before]);
    removed += row?.count ?? 0;
  }
  return removed;
}
