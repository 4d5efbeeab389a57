import type { DeliveryRecord, DeliveryStore, DeliveryWithBody } from '../port.ts';
import { conditions } from './conditions.ts';
import type { CommonStore, Query } from './store.ts';
import { toLeased, WEBHOOK_COLUMNS, type WebhookRow } from './webhooks.ts';

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

type Read = 'due' | 'list' | 'find';
/** What a process does all the time while it sends is written for each database. */
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
           select webhook_id from webhooks where off is null and lease_until <= $2 order by lease_until limit $4
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
    async release({ query }, owner, now) {
      const released = await query<{ webhook_id: string }>(
        'update webhooks set lease_owner = null, lease_until = 0 where lease_owner = $1::uuid returning webhook_id',
        [owner],
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

/** What their last holder was sending is pending. */
async function putBack(query: Query, webhookIds: readonly string[], now: number): Promise<void> {
  for (const webhookId of webhookIds) {
    await query(
      `update webhook_deliveries set state = 'pending', next_at = $2
       where webhook_id = $1::uuid and ended_at is null and state = 'sending'`,
      [webhookId, now],
    );
  }
}
