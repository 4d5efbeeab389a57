import type {
  DeliveryRecord,
  DeliveryStore,
  DeliveryWithBody,
  LeasedWebhook,
  WebhookHealth,
  WebhookRecord,
  WebhookStore,
} from '../port.ts';
import { type Act, type CommonStore, conditions, lockApplication, type Query } from './store.ts';

const WEBHOOK_COLUMNS = `webhook_id, app_id, url, types, description, sealed_secret, sealed_previous, previous_expires_at,
  created_at, off, last_success_at, failing_since, max_per_second, read_after, read_since`;

type WebhookRow = Pick<WebhookRecord, 'url' | 'description' | 'off'> &
  Record<'app_id' | 'created_at' | 'read_after' | 'read_since', number> &
  Record<'previous_expires_at' | 'last_success_at' | 'failing_since' | 'max_per_second', number | null> &
  Record<'webhook_id' | 'types' | 'sealed_secret', string> & { sealed_previous: string | null };

const LATEST_ENDED = `select d.state from webhook_deliveries d where d.webhook_id = w.webhook_id and d.ended_at is not null
  order by d.delivery_id desc limit $2`;
const OPEN = 'select 1 from webhook_deliveries d where d.webhook_id = w.webhook_id and d.ended_at is null limit $2';

export const webhooks: CommonStore<WebhookStore, 'list' | 'find' | 'health' | 'listFailing' | 'countOn'> = {
  reads: {
    async list(query, appId) {
      const text = `select ${WEBHOOK_COLUMNS} from webhooks where app_id = $1 order by created_at, webhook_id`;
      return (await query<WebhookRow>(text, [appId])).map(toWebhook);
    },
    async find(query, appId, webhookId) {
      const text = `select ${WEBHOOK_COLUMNS} from webhooks where app_id = $1 and webhook_id = $2::uuid`;
      const [row] = await query<WebhookRow>(text, [appId, webhookId]);
      return row && toWebhook(row);
    },
    health: (query, appId, limit) =>
      query<WebhookHealth>(
        `select w.webhook_id as "webhookId", (select count(*) from (${LATEST_ENDED}) l) as recent,
           (select count(*) from (${LATEST_ENDED}) l where l.state = 'failed') as failed,
           (select count(*) from (${OPEN}) l) as open
         from webhooks w where w.app_id = $1`,
        [appId, limit],
      ),
    async listFailing(query, before) {
      const rows = await query<WebhookRow>(
        `select ${WEBHOOK_COLUMNS} from webhooks where (off is null and failing_since <= $1) or off in ('gone', 'failing')`,
        [before],
      );
      return rows.map(toWebhook);
    },
    async countOn(query) {
      const [row] = await query<{ count: number }>('select count(*) as count from webhooks where off is null');
      return row?.count ?? 0;
    },
  },
  acts: {
    async create({ query, logChange }, webhook, atMost) {
      const { webhookId, appId, url, types, description, maxPerSecond, sealedSecret, createdAt, position } = webhook;
      // Concurrent creates are counted one after the other.
      if (!(await lockApplication(query, appId))) return 'application-gone';
      const [row] = await query<{ count: number }>('select count(*) as count from webhooks where app_id = $1', [appId]);
      if ((row?.count ?? 0) >= atMost) return 'too-many';
      await query(
        `insert into webhooks (webhook_id, app_id, url, types, description, max_per_second, sealed_secret, created_at, read_after,
           read_since)
         values ($1::uuid, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          ...[webhookId, appId, url, JSON.stringify(types), description, maxPerSecond, sealedSecret, createdAt],
          ...[position.after, position.since],
        ],
      );
      await logChange('webhooks', appId);
      return 'created';
    },
    update(act, appId, webhookId, { url, types, description, maxPerSecond, enabled }) {
      return change(
        act,
        `update webhooks set
           failing_since = case when $3::boolean or $4::text <> url then null else failing_since end,
           off = case when $3::boolean then null when not $3::boolean then coalesce(off, 'manual') else off end,
           lease_owner = case when not $3::boolean then null else lease_owner end,
           lease_until = case when not $3::boolean then 0 else lease_until end,
           url = coalesce($4::text, url), types = coalesce($5::text, types), description = coalesce($6::text, description),
           max_per_second = case when $7::integer is null then max_per_second else nullif($7::integer, 0) end
         where app_id = $1 and webhook_id = $2::uuid returning webhook_id`,
        [
          appId,
          ...[webhookId, enabled, url, types && JSON.stringify(types), description],
          maxPerSecond === null ? 0 : maxPerSecond,
        ],
        'updated',
      );
    },
    async rotateSecret({ query, logChange }, appId, webhookId, sealedSecret, previousExpiresAt, unlessValidAt) {
      // Concurrent rotations run one after the other.
      const [found] = await query<{ previous_expires_at: number | null }>(
        'select previous_expires_at from webhooks where app_id = $1 and webhook_id = $2::uuid for no key update',
        [appId, webhookId],
      );
      if (!found) return 'unknown';
      if (unlessValidAt !== undefined && (found.previous_expires_at ?? 0) > unlessValidAt) return 'previous-valid';
      await query(
        `update webhooks set sealed_previous = sealed_secret, previous_expires_at = $4, sealed_secret = $3
         where app_id = $1 and webhook_id = $2::uuid`,
        [appId, webhookId, sealedSecret, previousExpiresAt],
      );
      await logChange('webhooks', appId);
      return 'rotated';
    },
    replay: (act, appId, webhookId, { after, since }) =>
      // The current holder reads from another position, so it must claim the webhook again.
      change(
        act,
        `update webhooks set read_after = $3, read_since = $4, lease_owner = null, lease_until = 0
         where app_id = $1 and webhook_id = $2::uuid returning webhook_id`,
        [appId, webhookId, after, since],
        'moved',
      ),
    delete: (act, appId, webhookId) =>
      change(
        act,
        'delete from webhooks where app_id = $1 and webhook_id = $2::uuid returning webhook_id',
        [appId, webhookId],
        'deleted',
      ),
  },
};

/** Runs an act on an existing webhook. */
async function change<T>(
  { query, logChange }: Act,
  text: string,
  values: [appId: number, ...unknown[]],
  outcome: T,
): Promise<T | 'unknown'> {
  if ((await query(text, values)).length === 0) return 'unknown';
  await logChange('webhooks', values[0]);
  return outcome;
}

function toWebhook(row: WebhookRow): WebhookRecord {
  const { position: _, ...webhook } = toLeased(row);
  return webhook;
}

function toLeased(row: WebhookRow): LeasedWebhook {
  const { sealed_previous: previous, previous_expires_at: expiresAt } = row;
  return {
    webhookId: row.webhook_id,
    appId: row.app_id,
    url: row.url,
    types: JSON.parse(row.types),
    description: row.description,
    sealedSecret: row.sealed_secret,
    previousSecret: previous === null || expiresAt === null ? null : { sealed: previous, expiresAt },
    createdAt: row.created_at,
    off: row.off,
    lastSuccessAt: row.last_success_at,
    failingSince: row.failing_since,
    maxPerSecond: row.max_per_second,
    position: { after: row.read_after, since: row.read_since },
  };
}

export const DELIVERY_COLUMNS = `
  d.delivery_id as "deliveryId", d.webhook_id as "webhookId", d.event_no as "eventNo", d.type, d.user_id as "userId",
  d.created_at as "createdAt", d.state, d.attempts, d.next_at as "nextAt", d.last_at as "lastAt", d.status, d.problem, d.milliseconds
`;

/** Each has its index: a filter that matches few rows must not scan all of them. */
const LISTED = {
  all: ['', 'true'],
  pending: ['/* sqlite: indexed by webhook_deliveries_open */', 'd.ended_at is null'],
  succeeded: ['', "d.state = 'succeeded'"],
  failed: ['/* sqlite: indexed by webhook_deliveries_failed */', "d.state = 'failed'"],
} as const;

/** Far longer than a lease lasts: one that ends later was made by a clock that was ahead, and has no use. */
const FAR_MS = 600_000;

type Read = 'due' | 'list' | 'find';
/** Frequent acts of the sender are written for each database. */
type Sending = 'enqueue' | 'take' | 'settle';

export const deliveries: CommonStore<Omit<DeliveryStore, Sending>, Read> = {
  reads: {
    async due(query, owner, now) {
      return idsOf(
        await query(
          `select w.webhook_id from webhooks w where w.lease_owner = $1::uuid and exists (
             select 1 from webhook_deliveries d where d.webhook_id = w.webhook_id and d.next_at <= $2)`,
          [owner, now],
        ),
      );
    },
    list(query, webhookId, { state }, { before, limit }) {
      const [index, condition] = LISTED[state ?? 'all'];
      const { where, values } = conditions([
        [condition, true],
        ['d.webhook_id = ?::uuid', webhookId],
        ['d.delivery_id < ?::uuid', before],
      ]);
      return query<DeliveryRecord>(
        `select ${DELIVERY_COLUMNS} from webhook_deliveries d ${index} where ${where}
         order by d.delivery_id desc limit $${values.length + 1}`,
        [...values, limit],
      );
    },
    async find(query, webhookId, deliveryId) {
      const [row] = await query<DeliveryWithBody>(
        `select ${DELIVERY_COLUMNS}, r.body from webhook_deliveries d
         left join webhook_responses r on r.webhook_id = d.webhook_id and r.delivery_id = d.delivery_id
         where d.webhook_id = $1::uuid and d.delivery_id = $2::uuid`,
        [webhookId, deliveryId],
      );
      return row && { ...row, body: row.body || null };
    },
  },
  acts: {
    async claim({ query }, owner, { now, until, limit }) {
      const claimed = await query<WebhookRow>(
        `update webhooks set lease_owner = $1::uuid, lease_until = $3 where webhook_id in (
           select webhook_id from webhooks
           where off is null and (lease_until <= $2::bigint or lease_until > $2::bigint + ${FAR_MS})
           order by lease_until limit $4
           for update skip locked)
         returning ${WEBHOOK_COLUMNS}`,
        [owner, now, until, limit],
      );
      await putBack(query, idsOf(claimed), now);
      return claimed.map(toLeased);
    },
    async renew({ query }, owner, now, until) {
      return idsOf(
        await query(
          'update webhooks set lease_until = $3 where lease_owner = $1::uuid and lease_until > $2 returning webhook_id',
          [owner, now, until],
        ),
      );
    },
    async release({ query }, owner, now, webhookId) {
      const released = await query<{ webhook_id: string }>(
        `update webhooks set lease_owner = null, lease_until = 0
         where lease_owner = $1::uuid${webhookId === undefined ? '' : ' and webhook_id = $2::uuid'} returning webhook_id`,
        webhookId === undefined ? [owner] : [owner, webhookId],
      );
      await putBack(query, idsOf(released), now);
    },
    async addTest({ query }, { webhookId }, { deliveryId, type, createdAt }, attempt) {
      const { state, at, status, problem, milliseconds, body } = attempt;
      const there = await query('select app_id from webhooks where webhook_id = $1::uuid for key share', [webhookId]);
      if (there.length === 0) return 'unknown';
      await query(
        `insert into webhook_deliveries
           (webhook_id, delivery_id, type, created_at, state, attempts, last_at, status, problem, milliseconds, ended_at)
         values ($1::uuid, $2::uuid, $3, $4, $5, 1, $6, $7, $8, $9, $6)`,
        [webhookId, deliveryId, type, createdAt, state, at, status, problem, milliseconds],
      );
      await query('insert into webhook_responses (webhook_id, delivery_id, body) values ($1::uuid, $2::uuid, $3)', [
        ...[webhookId, deliveryId, body ?? ''],
      ]);
      return 'added';
    },
    async resend({ query }, { webhookId }, deliveryId, now) {
      const [found] = await query<Pick<DeliveryRecord, 'state'> & { event_no: number | null }>(
        `select event_no, state from webhook_deliveries where webhook_id = $1::uuid and delivery_id = $2::uuid
         for no key update`,
        [webhookId, deliveryId],
      );
      if (!found) return 'unknown';
      if (found.event_no === null) return 'test';
      if (found.state === 'sending') return 'sending';
      await query(
        `update webhook_deliveries set state = 'pending', attempts = 0, next_at = $3, ended_at = null
         where webhook_id = $1::uuid and delivery_id = $2::uuid`,
        [webhookId, deliveryId, now],
      );
      return 'resent';
    },
  },
};

const idsOf = (rows: { webhook_id: string }[]): string[] => rows.map(({ webhook_id }) => webhook_id);

/** What the previous owner was sending becomes pending. */
async function putBack(query: Query, webhookIds: readonly string[], now: number): Promise<void> {
  for (const webhookId of webhookIds) {
    await query(
      `update webhook_deliveries set state = 'pending', next_at = $2
       where webhook_id = $1::uuid and ended_at is null and state = 'sending'`,
      [webhookId, now],
    );
  }
}
