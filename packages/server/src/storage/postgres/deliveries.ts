import { commonStore } from '../common/stores.ts';
import { DELIVERY_COLUMNS } from '../common/webhooks.ts';
import type { DeliveryRecord, DeliveryStore, NewDelivery } from '../port.ts';
import { logChange } from './changes.ts';
import { bindingOf } from './common.ts';
import { type Connections, statement } from './connections.ts';

// Of rows for the same user, the first is sent and the others wait.
const ENQUEUE = statement(`
  with moved as (
    update webhooks set read_after = $3, read_since = $4 where webhook_id = $2 and lease_owner = $1 and off is null
    returning webhook_id
  ), given as (
    select g.* from json_to_recordset($5::json)
      as g ("deliveryId" uuid, "eventNo" bigint, type text, "userId" uuid, "createdAt" bigint)
    where not exists (
      select 1 from webhook_deliveries d where d.webhook_id = $2 and d.event_no = g."eventNo" and d.ended_at is null)
  ), placed as (
    select g.*, case when g."userId" is null or (
      row_number() over (partition by g."userId" order by g."eventNo") = 1 and not exists (
        select 1 from webhook_deliveries d where d.webhook_id = $2 and d.user_id = g."userId" and d.ended_at is null)
    ) then 'sending' else 'waiting' end as state
    from given g
  ), added as (
    insert into webhook_deliveries as d (webhook_id, delivery_id, event_no, type, user_id, created_at, state)
    select m.webhook_id, p."deliveryId", p."eventNo", p.type, p."userId", p."createdAt", p.state from moved m, placed p
    on conflict (webhook_id, event_no) do update set state = excluded.state, attempts = 0, ended_at = null
    returning d.delivery_id, d.event_no, d.type, d.user_id, d.created_at, d.state
  )
  select m.webhook_id as "webhookId", a.delivery_id as "deliveryId", a.event_no as "eventNo", a.type, a.user_id as "userId",
    a.created_at as "createdAt"
  from moved m left join added a on a.state = 'sending' order by a.event_no
`);

const TAKE = statement(`
  with held as (select webhook_id from webhooks where webhook_id = $2 and lease_owner = $1 and off is null),
  due as (select delivery_id from webhook_deliveries where webhook_id = $2 and next_at <= $3 order by next_at limit $4),
  taken as (
    update webhook_deliveries d set state = 'sending', next_at = null from held, due
    where d.webhook_id = held.webhook_id and d.delivery_id = due.delivery_id returning ${DELIVERY_COLUMNS}
  )
  select held.webhook_id as "heldId", taken.* from held left join taken on true
`);

const USERS_HERE =
  'select u.user_id from users u where u.user_id in (select user_id from noted) order by u.user_id for key share';

const note = (existingUsers: string): string => `
  noted as (
    update webhook_deliveries d set state = g.state, attempts = d.attempts + 1, next_at = g."nextAt", last_at = g.at,
      status = g.status, problem = g.problem, milliseconds = g.milliseconds,
      ended_at = case when g.state = 'pending' then null else g.at end
    from held, given g
    where d.webhook_id = held.webhook_id and d.delivery_id = g."deliveryId" and d.state = 'sending'
    returning d.delivery_id, d.user_id, d.state, g.body
  ), there as (
    ${existingUsers}
  ), answered as (
    insert into webhook_responses (webhook_id, delivery_id, user_id, body)
    select held.webhook_id, n.delivery_id, n.user_id, coalesce(n.body, '') from held, noted n
    where n.user_id is null or n.user_id in (select user_id from there)
    on conflict (webhook_id, delivery_id) do update set body = excluded.body
  )
`;
const GIVEN = `
  given as (
    select * from json_to_recordset($3::json) as g ("deliveryId" uuid, at bigint, milliseconds integer, status integer, problem text,
      body text, state text, "nextAt" bigint)
  )
`;

const settle = (existingUsers: string) =>
  statement(`
  with held as (
    update webhooks set
      last_success_at = coalesce($4, last_success_at),
      failing_since = case when $4::bigint is null then coalesce(failing_since, $5) else $5::bigint end
    where webhook_id = $2 and lease_owner = $1 and off is null returning webhook_id
  ), ${GIVEN}, ${note(existingUsers)}, next as (
    select distinct on (d.user_id) d.delivery_id, d.state from webhook_deliveries d
    where d.webhook_id = $2 and d.ended_at is null and d.user_id in (select user_id from noted where state <> 'pending')
      and d.delivery_id not in (select delivery_id from noted where state <> 'pending')
    order by d.user_id, d.state = 'waiting', d.event_no
  ), freed as (
    update webhook_deliveries d set state = 'sending' from held, next
    where d.webhook_id = held.webhook_id and d.delivery_id = next.delivery_id and next.state = 'waiting' returning ${DELIVERY_COLUMNS}
  )
  select held.webhook_id as "heldId", freed.* from held left join freed on true
`);

type Held<Row> = { [Name in keyof Row]: Row[Name] | null } & { heldId: string };

/** `existingUsers`: selects and locks the users of `noted` that exist. */
export function deliveryStore(connections: Connections, existingUsers = USERS_HERE): DeliveryStore {
  const SETTLE = settle(existingUsers);
  return {
    ...commonStore('deliveries', bindingOf(connections)),
    async enqueue({ owner, webhookId }, { after, since }, deliveries) {
      type Row = NewDelivery & { webhookId: string };
      const values = [owner, webhookId, after, since, JSON.stringify(deliveries)];
      const rows = await connections.write<Row>(ENQUEUE, values);
      if (rows.length === 0) return 'lost';
      return rows.flatMap(({ webhookId: _, ...delivery }) => (delivery.deliveryId === null ? [] : [delivery]));
    },
    async take({ owner, webhookId }, now, limit) {
      return heldRows(await connections.write<Held<DeliveryRecord>>(TAKE, [owner, webhookId, now, limit]));
    },
    async settle({ owner, webhookId }, attempts, off) {
      const latest = attempts.findLast(({ state }) => state === 'succeeded');
      const failed = attempts
        .slice(latest ? attempts.indexOf(latest) + 1 : 0)
        .find(({ state }) => state !== 'succeeded');
      const values = [owner, webhookId, JSON.stringify(attempts), latest?.at ?? null, failed?.at ?? null];
      if (off === null) return heldRows(await connections.write<Held<DeliveryRecord>>(SETTLE, values));
      return connections.transaction(async (query) => {
        const rows = heldRows(await query<Held<DeliveryRecord>>(SETTLE.text, values));
        if (rows === 'lost') return rows;
        const [row] = await query<{ app_id: number }>(
          'update webhooks set off = $2, lease_owner = null, lease_until = 0 where webhook_id = $1 returning app_id',
          [webhookId, off],
        );
        await logChange(query, 'webhooks', row?.app_id ?? null);
        return rows;
      });
    },
  };
}

/** No row: the lease was lost. */
function heldRows(rows: Held<DeliveryRecord>[]): DeliveryRecord[] | 'lost' {
  if (rows.length === 0) return 'lost';
  return rows.flatMap(({ heldId: _, ...row }) => (row.deliveryId === null ? [] : [row as DeliveryRecord]));
}
