import type { Attempt, DeliveryRecord, DeliveryState, Lease, NewDelivery, ReadPosition, WebhookOff } from '../port.ts';
import { logChange } from './changes.ts';
import type { Connection } from './connection.ts';
import { toBytes, toUuid } from './rows.ts';

const COLUMNS = `delivery_id, webhook_id, event_no, type, user_id, created_at, state, attempts, next_at, last_at, status,
  problem, milliseconds`;

type DeliveryRow = Pick<DeliveryRecord, 'type' | 'state' | 'attempts' | 'status' | 'problem' | 'milliseconds'> &
  Record<'delivery_id' | 'webhook_id', Uint8Array> &
  Record<'event_no' | 'next_at' | 'last_at', number | null> & { user_id: Uint8Array | null; created_at: number };

export function deliveryActs(connection: Connection) {
  const { statement } = connection;
  const holds = ({ owner, webhookId }: Lease): boolean =>
    statement('select 1 from webhooks where webhook_id = ? and lease_owner = ? and off is null').get(
      toBytes(webhookId),
      toBytes(owner),
    ) !== undefined;
  const isBusy = (webhookId: Uint8Array, userId: Uint8Array): boolean =>
    statement('select 1 from webhook_deliveries where webhook_id = ? and user_id = ? and ended_at is null').get(
      webhookId,
      userId,
    ) !== undefined;
  const add = (webhookId: Uint8Array, delivery: NewDelivery, state: DeliveryState): void => {
    const { deliveryId, eventNo, type, userId, createdAt } = delivery;
    statement(
      `insert into webhook_deliveries (webhook_id, delivery_id, event_no, type, user_id, created_at, state)
       values (?, ?, ?, ?, ?, ?, ?)`,
    ).run(webhookId, toBytes(deliveryId), eventNo, type, userId === null ? null : toBytes(userId), createdAt, state);
  };
  const note = (webhookId: Uint8Array, attempt: Attempt): DeliveryRecord | undefined => {
    const { at, milliseconds, status, problem, body, state, nextAt } = attempt;
    const deliveryId = toBytes(attempt.deliveryId);
    const row = statement<DeliveryRow>(
      `update webhook_deliveries set state = ?, attempts = attempts + 1, next_at = ?, last_at = ?, status = ?, problem = ?,
         milliseconds = ?, ended_at = ?
       where webhook_id = ? and delivery_id = ? and state = 'sending' returning ${COLUMNS}`,
    ).get(
      ...[state, nextAt, at, status, problem, milliseconds, state === 'pending' ? null : at],
      ...[webhookId, deliveryId],
    );
    if (!row) return undefined;
    statement('delete from webhook_responses where webhook_id = ? and delivery_id = ?').run(webhookId, deliveryId);
    const { userId } = toDelivery(row);
    const id = userId === null ? null : toBytes(userId);
    if (body && (id === null || statement('select 1 from users where user_id = ?').get(id))) {
      statement('insert into webhook_responses (webhook_id, delivery_id, user_id, body) values (?, ?, ?, ?)').run(
        ...[webhookId, deliveryId, id, body],
      );
    }
    return toDelivery(row);
  };
  const freeNext = (webhookId: Uint8Array, userId: Uint8Array): DeliveryRecord[] => {
    const next = statement<Pick<DeliveryRow, 'delivery_id' | 'state'>>(
      `select delivery_id, state from webhook_deliveries where webhook_id = ? and user_id = ? and ended_at is null
       order by state = 'waiting', event_no limit 1`,
    ).get(webhookId, userId);
    // An earlier delivery for the user is sent first.
    if (next?.state !== 'waiting') return [];
    const row = statement<DeliveryRow>(
      `update webhook_deliveries set state = 'sending' where webhook_id = ? and delivery_id = ? returning ${COLUMNS}`,
    ).get(webhookId, next.delivery_id);
    return row ? [toDelivery(row)] : [];
  };

  return {
    enqueueDeliveries(
      lease: Lease,
      { after, since }: ReadPosition,
      deliveries: readonly NewDelivery[],
    ): NewDelivery[] | 'lost' {
      if (!holds(lease)) return 'lost';
      const webhookId = toBytes(lease.webhookId);
      statement('update webhooks set read_after = ?, read_since = ? where webhook_id = ?').run(after, since, webhookId);
      const toSend: NewDelivery[] = [];
      for (const delivery of deliveries) {
        const { eventNo, userId } = delivery;
        const earlier = statement<{ delivery_id: Uint8Array; ended_at: number | null }>(
          'select delivery_id, ended_at from webhook_deliveries where webhook_id = ? and event_no = ?',
        ).get(webhookId, eventNo);
        if (earlier && earlier.ended_at === null) continue;
        const state = userId !== null && isBusy(webhookId, toBytes(userId)) ? 'waiting' : 'sending';
        if (earlier) {
          statement(
            `update webhook_deliveries set state = ?, attempts = 0, ended_at = null where webhook_id = ? and delivery_id = ?`,
          ).run(state, webhookId, earlier.delivery_id);
        } else add(webhookId, delivery, state);
        const deliveryId = earlier ? toUuid(earlier.delivery_id) : delivery.deliveryId;
        if (state === 'sending') toSend.push({ ...delivery, deliveryId });
      }
      return toSend;
    },
    takeDeliveries(lease: Lease, now: number, limit: number): DeliveryRecord[] | 'lost' {
      if (!holds(lease)) return 'lost';
      return statement<DeliveryRow>(
        `update webhook_deliveries set state = 'sending', next_at = null where webhook_id = ?1 and delivery_id in (
           select delivery_id from webhook_deliveries where webhook_id = ?1 and next_at <= ?2 order by next_at limit ?3)
         returning ${COLUMNS}`,
      )
        .all(toBytes(lease.webhookId), now, limit)
        .map(toDelivery);
    },
    settleDeliveries(lease: Lease, attempts: readonly Attempt[], off: WebhookOff | null): DeliveryRecord[] | 'lost' {
      if (!holds(lease)) return 'lost';
      const webhookId = toBytes(lease.webhookId);
      const noted = attempts.flatMap((attempt) => note(webhookId, attempt) ?? []);
      noteHealth(connection, webhookId, attempts, off);
      const users = noted.flatMap(({ userId, state }) => (userId === null || state === 'pending' ? [] : [userId]));
      return [...new Set(users)].flatMap((userId) => freeNext(webhookId, toBytes(userId)));
    },
  };
}

function noteHealth(
  connection: Connection,
  webhookId: Uint8Array,
  attempts: readonly Attempt[],
  off: WebhookOff | null,
): void {
  const { statement } = connection;
  const latest = attempts.findLast(({ state }) => state === 'succeeded');
  if (latest) {
    statement('update webhooks set last_success_at = ?, failing_since = null where webhook_id = ?').run(
      latest.at,
      webhookId,
    );
  }
  const failed = attempts.slice(latest ? attempts.indexOf(latest) + 1 : 0).find(({ state }) => state !== 'succeeded');
  if (failed) {
    statement('update webhooks set failing_since = coalesce(failing_since, ?) where webhook_id = ?').run(
      failed.at,
      webhookId,
    );
  }
  if (off === null) return;
  const appId = connection.value<number>(
    'update webhooks set off = ?, lease_owner = null, lease_until = 0 where webhook_id = ? returning app_id',
    ...[off, webhookId],
  );
  logChange(connection, 'webhooks', appId);
}

function toDelivery(row: DeliveryRow): DeliveryRecord {
  return {
    deliveryId: toUuid(row.delivery_id),
    webhookId: toUuid(row.webhook_id),
    eventNo: row.event_no,
    type: row.type,
    userId: row.user_id === null ? null : toUuid(row.user_id),
    createdAt: row.created_at,
    state: row.state,
    attempts: row.attempts,
    nextAt: row.next_at,
    lastAt: row.last_at,
    status: row.status,
    problem: row.problem,
    milliseconds: row.milliseconds,
  };
}
