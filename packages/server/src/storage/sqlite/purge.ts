import type { Connection } from './connection.ts';

/** Rows of each kind that one act removes: a purge never holds the write lock for long. */
const BATCH = 1000;
const CHANGE_LOG_MS = 3600 * 1000;

export function purgeActs({ statement }: Connection) {
  const removeEnded = (table: string, key: string, end: string, now: number): number =>
    Number(
      statement(
        `delete from ${table} where (${key}) in (select ${key} from ${table} where ${end} <= ? limit ${BATCH})`,
      ).run(now).changes,
    );
  // Replicas look several times a second; one that was away for an hour loads everything anew.
  const removeOldChanges = (now: number): number =>
    Number(
      statement(
        `delete from change_log where version in (
           select version from change_log where at <= ? and version < (select max(version) from change_log)
           order by version limit ${BATCH}
         )`,
      ).run(now - CHANGE_LOG_MS).changes,
    );

  return {
    purgeExpired(now: number): number {
      return (
        removeEnded('special_tokens', 'token_hash', 'expires_at', now) +
        removeEnded('access_tokens', 'token_id', 'expires_at', now) +
        removeEnded('idempotency_keys', 'app_id, key_hash', 'expires_at', now) +
        removeEnded('application_secrets', 'secret_hash', 'expires_at', now) +
        removeEnded('sign_in_links', 'link_hash', 'expires_at', now) +
        removeEnded('sessions', 'session_id', 'ends_at', now) +
        removeEnded('signing_keys', 'generation', 'published_until', now) +
        removeOldChanges(now)
      );
    },
  };
}
