import type { LeasedWebhook, NewWebhook, ReadPosition, WebhookChange, WebhookRecord, WebhookStore } from '../port.ts';
import { logChange } from './changes.ts';
import type { Connection } from './connection.ts';
import { toBytes, toUuid } from './encoding.ts';

const COLUMNS = `webhook_id, app_id, url, types, description, sealed_secret, sealed_previous, previous_expires_at,
  created_at, off, last_success_at, failing_since, max_per_second, read_after, read_since`;

export type WebhookRow = Pick<WebhookRecord, 'url' | 'description' | 'off'> &
  Record<'app_id' | 'created_at' | 'previous_expires_at' | 'read_after' | 'read_since', number> &
  Record<'last_success_at' | 'failing_since' | 'max_per_second', number | null> &
  Record<'types' | 'sealed_secret', string> & { webhook_id: Uint8Array; sealed_previous: string | null };

export function webhookReads({
  statement,
  value,
  snapshot,
}: Connection): Pick<WebhookStore, 'list' | 'find' | 'health' | 'listFailing' | 'countOn'> {
  return {
    async list(appId) {
      return statement<WebhookRow>(`select ${COLUMNS} from webhooks where app_id = ? order by created_at, webhook_id`)
        .all(appId)
        .map(toWebhook);
    },
    async find(appId, webhookId) {
      const row = statement<WebhookRow>(`select ${COLUMNS} from webhooks where app_id = ? and webhook_id = ?`).get(
        appId,
        toBytes(webhookId),
      );
      return row && toWebhook(row);
    },
    async health(appId, limit) {
      return snapshot(() =>
        statement<{ webhook_id: Uint8Array }>('select webhook_id from webhooks where app_id = ?')
          .all(appId)
          .map(({ webhook_id: id }) => {
            const ended = statement<{ recent: number; failed: number }>(
              `select count(*) as recent, coalesce(sum(state = 'failed'), 0) as failed from (
                 select state from webhook_deliveries where webhook_id = ? and ended_at is not null
                 order by delivery_id desc limit ?)`,
            ).get(id, limit);
            const open = value<number>(
              'select count(*) as n from (select 1 from webhook_deliveries where webhook_id = ? and ended_at is null limit ?)',
              ...[id, limit],
            );
            return { webhookId: toUuid(id), recent: ended?.recent ?? 0, failed: ended?.failed ?? 0, open };
          }),
      );
    },
    async listFailing(before) {
      return statement<WebhookRow>(
        `select ${COLUMNS} from webhooks where (off is null and failing_since <= ?) or off in ('gone', 'failing')`,
      )
        .all(before)
        .map(toWebhook);
    },
    async countOn() {
      return value('select count(*) as n from webhooks where off is null');
    },
  };
}

export function webhookActs(connection: Connection) {
  const { statement, value } = connection;
  /** The rest of an act on a webhook that is there. */
  const changed = <T>(appId: number, { changes }: { changes: number | bigint }, outcome: T): T | 'unknown' => {
    if (changes === 0) return 'unknown';
    logChange(connection, 'webhooks', appId);
    return outcome;
  };

  return {
    createWebhook(webhook: NewWebhook, atMost: number): 'created' | 'too-many' | 'application-gone' {
      const { webhookId, appId, url, types, description, maxPerSecond, sealedSecret, createdAt, position } = webhook;
      if (!statement('select 1 from applications where app_id = ?').get(appId)) return 'application-gone';
      const count = value<number>('select count(*) as n from webhooks where app_id = ?', appId);
      if (count >= atMost) return 'too-many';
      statement(
        `insert into webhooks (webhook_id, app_id, url, types, description, max_per_second, sealed_secret, created_at, read_after,
           read_since)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        ...[toBytes(webhookId), appId, url, JSON.stringify(types), description, maxPerSecond, sealedSecret, createdAt],
        ...[position.after, position.since],
      );
      logChange(connection, 'webhooks', appId);
      return 'created';
    },
    updateWebhook(appId: number, webhookId: string, change: WebhookChange): 'updated' | 'unknown' {
      const { url = null, types, description = null, maxPerSecond, enabled } = change;
      const done = statement(
        `update webhooks set
           failing_since = case when ?1 = 1 or (?2 is not null and ?2 <> url) then null else failing_since end,
           off = case when ?1 = 1 then null when ?1 = 0 then coalesce(off, 'manual') else off end,
           lease_owner = case when ?1 = 0 then null else lease_owner end,
           lease_until = case when ?1 = 0 then 0 else lease_until end,
           url = coalesce(?2, url), types = coalesce(?3, types), description = coalesce(?4, description),
           max_per_second = case when ?5 is null then max_per_second else nullif(?5, 0) end
         where app_id = ?6 and webhook_id = ?7`,
      ).run(
        ...[enabled === undefined ? null : Number(enabled), url, types ? JSON.stringify(types) : null, description],
        ...[maxPerSecond === null ? 0 : (maxPerSecond ?? null), appId, toBytes(webhookId)],
      );
      return changed(appId, done, 'updated');
    },
    rotateWebhookSecret(
      appId: number,
      webhookId: string,
      sealedSecret: string,
      previousExpiresAt: number,
      unlessValidAt?: number,
    ): 'rotated' | 'previous-valid' | 'unknown' {
      const valid = statement('select 1 from webhooks where app_id = ? and webhook_id = ? and previous_expires_at > ?');
      if (unlessValidAt !== undefined && valid.get(appId, toBytes(webhookId), unlessValidAt)) return 'previous-valid';
      const done = statement(
        `update webhooks set sealed_previous = sealed_secret, previous_expires_at = ?, sealed_secret = ?
         where app_id = ? and webhook_id = ?`,
      ).run(previousExpiresAt, sealedSecret, appId, toBytes(webhookId));
      return changed(appId, done, 'rotated');
    },
    replayWebhook(appId: number, webhookId: string, { after, since }: ReadPosition): 'moved' | 'unknown' {
      // The current holder reads from another position, so it has to claim the webhook again.
      const done = statement(
        `update webhooks set read_after = ?, read_since = ?, lease_owner = null, lease_until = 0
         where app_id = ? and webhook_id = ?`,
      ).run(after, since, appId, toBytes(webhookId));
      return changed(appId, done, 'moved');
    },
    deleteWebhook(appId: number, webhookId: string): 'deleted' | 'unknown' {
      const done = statement('delete from webhooks where app_id = ? and webhook_id = ?').run(appId, toBytes(webhookId));
      return changed(appId, done, 'deleted');
    },
  };
}

function toWebhook(row: WebhookRow): WebhookRecord {
  const { position: _, ...webhook } = toLeased(row);
  return webhook;
}

export const LEASED_COLUMNS = COLUMNS;

export function toLeased(row: WebhookRow): LeasedWebhook {
  const previous = row.sealed_previous;
  return {
    webhookId: toUuid(row.webhook_id),
    appId: row.app_id,
    url: row.url,
    types: JSON.parse(row.types),
    description: row.description,
    sealedSecret: row.sealed_secret,
    previousSecret: previous === null ? null : { sealed: previous, expiresAt: row.previous_expires_at },
    createdAt: row.created_at,
    off: row.off,
    lastSuccessAt: row.last_success_at,
    failingSince: row.failing_since,
    maxPerSecond: row.max_per_second,
    position: { after: row.read_after, since: row.read_since },
  };
}
