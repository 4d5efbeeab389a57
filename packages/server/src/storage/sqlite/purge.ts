import type { Connection } from './connection.ts';

/** Rows of each kind that one act removes: a purge never holds the write lock for long. */
const BATCH = 1000;
const CHANGE_LOG_MS = 3600 * 1000;

export function purgeActs({ statement }: Connection) {
  const removeEnded = (table: string, key: string, now: number): number =>
    Number(
      statement(
        `delete from ${table} where (${key}) in (select ${key} from ${table} where expires_at <= ? limit ${BATCH})`,
      ).run(now).changes,
    );

  return {
    purgeExpired(now: number): number {
      const removed =
        removeEnded('special_tokens', 'token_hash', now) +
        removeEnded('access_tokens', 'token_id', now) +
        removeEnded('idempotency_keys', 'app_id, key_hash', now) +
        removeEnded('application_secrets', 'secret_hash', now);
      statement('delete from signing_keys where published_until <= ?').run(now);
      // Replicas look several times a second; one that was away for an hour loads everything anew.
      statement('delete from change_log where at <= ? and version < (select max(version) from change_log)').run(
        now - CHANGE_LOG_MS,
      );
      return removed;
    },
  };
}
