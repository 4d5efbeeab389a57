import type { DeliveryRecord, DeliveryStore, DeliveryWithBody, NewDelivery } from '../port.ts';
import { logChange } from './changes.ts';
import { type Connections, statement } from './connections.ts';
import { toLeased, WEBHOOK_COLUMNS, type WebhookRow } from './webhooks.ts';

const COLUMNS = `
  d.delivery_id as "deliveryId", d.webhook_id as "webhookId", d.event_no as "eventNo", d.type, d.user_id as "userId",
  d.created_at as "createdAt", d.state, d.attempts, d.next_at as "nextAt", d.last_at as "lastAt", d.status, d.problem, d.milliseconds
`;
const listWhere = (condition: string) =>
  statement(`
    select ${COLUMNS} from webhook_deliveries d where d.webhook_id = $1 and ($2::uuid is null or d.delivery_id < $2) and ${condition}
    order by d.delivery_id desc limit $3
  `);
const LIST = {
  all: listWhere('true'),
  pending: listWhere('d.ended_at is null'),
  succeeded: listWhere("d.state = 'succeeded'"),
  failed: listWhere("d.state = 'failed'"),
};
const FIND = statement(`
  select ${COLUMNS}, r.body from webhook_deliveries d
  left join webhook_responses r on r.webhook_id = d.webhook_id and r.delivery_id = d.delivery_id
  where d.webhook_id = $1 and d.delivery_id = $2
`);

const putBack = (webhooks: string, now: string): string => `
  update webhook_deliveries d set state = 'pending', next_at = ${now} from ${webhooks} c
  where d.webhook_id = c.webhook_id and d.ended_at is null and d.state = 'sending'
`;

const CLAIM = statement(`
  with free as (
    select webhook_id from webhooks where off is null and lease_until <= $2 order by lease_until limit $4
    for update skip locked
  ), claimed as (
    update webhooks w set lease_owner = $1, lease_until = $3 from free where w.webhook_id = free.webhook_id
    returning ${WEBHOOK_COLUMNS}
  ), back as (${putBack('claimed', '$2::bigint')})
  select * from claimed
`);
const RENEW = statement(`
  update webhooks set lease_until = $3 where lease_owner = $1 and lease_until > $2 returning webhook_id
`);
const RELEASE = statement(`
  with released as (
    update webhooks set lease_owner = null, lease_until = 0 where lease_owner = $1 returning webhook_id
  )
  ${putBack('released', '$2::bigint')}
`);

// Rows of the same user that are sent together: the first goes, the others wait.
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

const DUE = statement(`
  select w.webhook_id from webhooks w where w.lease_owner = $1 and exists (
    select 1 from webhook_deliveries d where d.webhook_id = w.webhook_id and d.next_at <= $2)
`);
const TAKE = statement(`
  with held as (select webhook_id from webhooks where webhook_id = $2 and lease_owner = $1 and off is null),
  due as (select delivery_id from webhook_deliveries where webhook_id = $2 and next_at <= $3 order by next_at limit $4),
  taken as (
    update webhook_deliveries d set state = 'sending', next_at = null from held, due
    where d.webhook_id = held.webhook_id and d.delivery_id = due.delivery_id returning ${COLUMNS}
  )
  select held.webhook_id as "heldId", taken.* from held left join taken on true
`);

const USERS_HERE =
  'select u.user_id from users u where u.user_id in (select user_id from noted) order by u.user_id for key share';

const note = (usersThere: string): string => `
  noted as (
    update webhook_deliveries d set state = g.state, attempts = d.attempts + 1, next_at = g."nextAt", last_at = g.at,
      status = g.status, problem = g.problem, milliseconds = g.milliseconds,
      ended_at = case when g.state = 'pending' then null else g.at end
    from held, given g where d.webhook_id = held.webhook_id and d.delivery_id = g."deliveryId"
    returning d.delivery_id, d.user_id, d.state, g.body
  ), there as (
    ${usersThere}
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

const settle = (usersThere: string) =>
  statement(`
  with held as (
    update webhooks set
      last_success_at = coalesce($4, last_success_at),
      failing_since = case when $4::bigint is null then coalesce(failing_since, $5) else $5::bigint end
    where webhook_id = $2 and lease_owner = $1 and off is null returning webhook_id
  ), ${GIVEN}, ${note(usersThere)}, next as (
    select distinct on (d.user_id) d.delivery_id, d.state from webhook_deliveries d
    where d.webhook_id = $2 and d.ended_at is null and d.user_id in (select user_id from noted where state <> 'pending')
      and d.delivery_id not in (select delivery_id from noted)
    order by d.user_id, d.state = 'waiting', d.event_no
  ), freed as (
    update webhook_deliveries d set state = 'sending' from held, next
    where d.webhook_id = held.webhook_id and d.delivery_id = next.delivery_id and next.state = 'waiting' returning ${COLUMNS}
  )
  select held.webhook_id as "heldId", freed.* from held left join freed on true
`);

const ADD_TEST = statement(`
  with held as (select webhook_id from webhooks where webhook_id = $1 for key share), added as (
    insert into webhook_deliveries
      (webhook_id, delivery_id, type, created_at, state, attempts, last_at, status, problem, milliseconds, ended_at)
    select webhook_id, $2, $3, $4, $5, 1, $6, $7, $8, $9, $6 from held returning webhook_id, delivery_id
  ), answered as (
    insert into webhook_responses (webhook_id, delivery_id, body) select webhook_id, delivery_id, $10 from added
  )
  select webhook_id from added
`);

const RESEND = statement(`
  with found as (
    select event_no, state from webhook_deliveries where webhook_id = $1 and delivery_id = $2
  ), again as (
    update webhook_deliveries set state = 'pending', attempts = 0, next_at = $3, ended_at = null
    where webhook_id = $1 and delivery_id = $2 and event_no is not null and state <> 'sending' returning delivery_id
  )
  select found.event_no, again.delivery_id as again from found left join again on true
`);

type Held<Row> = { [Name in keyof Row]: Row[Name] | null } & { heldId: string };

/** `usersThere`: selects those of `noted` who are there, and locks them. */
export function deliveryStore(connections: Connections, usersThere = USERS_HERE): DeliveryStore {
  const SETTLE = settle(usersThere);
  const idsOf = (rows: { webhook_id: string }[]): string[] => rows.map(({ webhook_id }) => webhook_id);
  return {
    async claim(owner, { now, until, limit }) {
      return (await connections.write<WebhookRow>(CLAIM, [owner, now, until, limit])).map(toLeased);
    },
    async renew(owner, now, until) {
      return idsOf(await connections.write(RENEW, [owner, now, until]));
    },
    async release(owner, now) {
      await connections.write(RELEASE, [owner, now]);
    },
    async enqueue({ owner, webhookId }, { after, since }, deliveries) {
      type Row = NewDelivery & { webhookId: string };
      const values = [owner, webhookId, after, since, JSON.stringify(deliveries)];
      const rows = await connections.write<Row>(ENQUEUE, values);
      if (rows.length === 0) return 'lost';
      return rows.flatMap(({ webhookId: _, ...delivery }) => (delivery.deliveryId === null ? [] : [delivery]));
    },
    async due(owner, now) {
      return idsOf(await connections.read(DUE, [owner, now]));
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
    async addTest({ webhookId }, { deliveryId, type, createdAt }, attempt) {
      const { state, at, status, problem, milliseconds, body } = attempt;
      const what = [type, createdAt, state, at, status, problem, milliseconds, body ?? ''];
      return (await connections.write(ADD_TEST, [webhookId, deliveryId, ...what])).length > 0 ? 'added' : 'unknown';
    },
    async resend({ webhookId }, deliveryId, now) {
      type Row = { event_no: number | null; again: string | null };
      const [row] = await connections.write<Row>(RESEND, [webhookId, deliveryId, now]);
      if (!row) return 'unknown';
      if (row.again !== null) return 'resent';
      return row.event_no === null ? 'test' : 'sending';
    },
    list: (webhookId, { state }, { before, limit }) =>
      connections.read<DeliveryRecord>(LIST[state ?? 'all'], [webhookId, before, limit]),
    async find(webhookId, deliveryId) {
      const [row] = await connections.read<DeliveryWithBody>(FIND, [webhookId, deliveryId]);
      return row && { ...row, body: row.body || null };
    },
  };
}

/** No row at all: the lease was lost. */
function heldRows(rows: Held<DeliveryRecord>[]): DeliveryRecord[] | 'lost' {
  if (rows.length === 0) return 'lost';
  return rows.flatMap(({ heldId: _, ...row }) => (row.deliveryId === null ? [] : [row as DeliveryRecord]));
}
