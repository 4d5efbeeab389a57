import { KEPT_AUDIT_MS, KEPT_DELETED_MS, KEPT_DELIVERIES_MS, KEPT_MS, KEPT_REQUESTS_MS } from '../port.ts';
import type { Connection } from './connection.ts';
import { trialActs } from './users.ts';

/** Maximum rows of each kind per purge, so that it holds the write lock only briefly. */
const BATCH = 1000;
const CHANGE_LOG_MS = 3600 * 1000;

export function purgeActs(connection: Connection) {
  const { statement } = connection;
  const { endTrial } = trialActs(connection);
  const removeEnded = (table: string, key: string, end: string, now: number): number =>
    Number(
      statement(
        `delete from ${table} where (${key}) in (select ${key} from ${table} where ${end} <= ? limit ${BATCH})`,
      ).run(now).changes,
    );
  // Replicas poll several times a second; one that was away for an hour reloads everything.
  const removeOldChanges = (now: number): number =>
    Number(
      statement(
        `delete from change_log where version in (
           select version from change_log where at <= ? and version < (select max(version) from change_log)
           order by version limit ${BATCH}
         )`,
      ).run(now - CHANGE_LOG_MS).changes,
    );
  // Public keys stay: receipts are verified years later.
  const erasePrivateKeys = (now: number): number =>
    Number(
      statement(
        "update signing_keys set sealed_private_key = '' where published_until <= ? and sealed_private_key <> ''",
      ).run(now).changes,
    );
  const endTrials = (now: number): number => {
    const ended = statement<{ app_id: number; client_user_id: string }>(
      `select app_id, client_user_id from trial_users where ends_at <= ? limit ${BATCH}`,
    ).all(now);
    for (const row of ended) endTrial(row.app_id, row.client_user_id);
    return ended.length;
  };

  return {
    purgeExpired(now: number): number {
      return (
        removeEnded('special_tokens', 'token_hash', 'expires_at', now) +
        removeEnded('access_tokens', 'token_id', 'expires_at', now) +
        removeEnded('idempotency_keys', 'app_id, key_hash', 'expires_at', now) +
        removeEnded('application_secrets', 'secret_hash', 'expires_at', now) +
        removeEnded('sign_in_links', 'link_hash', 'expires_at', now) +
        removeEnded('sessions', 'session_id', 'ends_at', now) +
        removeEnded('invitations', 'invitation_id', 'expires_at', now) +
        removeEnded('sign_in_attempts', 'subject_hash', 'due_at', now) +
        removeEnded('rate_limits', 'subject_hash', 'due_at', now) +
        erasePrivateKeys(now) +
        endTrials(now) +
        removeOldChanges(now) +
        removeEnded('request_log', 'app_id, request_uid', 'at', now - KEPT_REQUESTS_MS) +
        removeEnded('webhook_deliveries', 'webhook_id, delivery_id', 'ended_at', now - KEPT_DELIVERIES_MS) +
        removeEnded('audit_log', 'audit_uid', 'at', now - KEPT_AUDIT_MS) +
        removeEnded('deleted_users', 'app_id, code_hash', 'at', now - KEPT_DELETED_MS) +
        removeEnded('activity', 'app_id, step, name, at', "step = 'hour' and at", now - KEPT_MS.hour) +
        removeEnded('activity', 'app_id, step, name, at', "step = 'day' and at", now - KEPT_MS.day)
      );
    },
  };
}
