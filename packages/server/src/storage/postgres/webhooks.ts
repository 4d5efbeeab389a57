import type { LeasedWebhook, WebhookHealth, WebhookOff, WebhookRecord, WebhookStore } from '../port.ts';
import { logChange } from './changes.ts';
import { type Connections, statement } from './connections.ts';
import type { Query } from './transactions.ts';

export const WEBHOOK_COLUMNS = `
  w.webhook_id, w.app_id, w.url, w.types, w.description, w.sealed_secret, w.sealed_previous, w.previous_expires_at,
  w.created_at, w.off, w.last_success_at, w.failing_since, w.max_per_second, w.read_after, w.read_since
`;
const LIST = statement(`
  select ${WEBHOOK_COLUMNS} from webhooks w where w.app_id = $1 order by w.created_at, w.webhook_id
`);
const FIND = statement(`select ${WEBHOOK_COLUMNS} from webhooks w where w.app_id = $1 and w.webhook_id = $2`);
const LIST_FAILING = statement(`
  select ${WEBHOOK_COLUMNS} from webhooks w
  where (w.off is null and w.failing_since <= $1) or w.off in ('gone', 'failing')
`);
const COUNT_ON = statement('select count(*) as count from webhooks where off is null');

const HEALTH = statement(`
  select w.webhook_id as "webhookId", ended.recent, ended.failed, open.count as open from webhooks w,
    lateral (
      select count(*) as recent, count(*) filter (where l.state = 'failed') as failed from (
        select d.state from webhook_deliveries d where d.webhook_id = w.webhook_id and d.ended_at is not null
        order by d.delivery_id desc limit $2
      ) l
    ) ended,
    lateral (
      select count(*) as count from (
        select 1 from webhook_deliveries d where d.webhook_id = w.webhook_id and d.ended_at is null limit $2
      ) l
    ) open
  where w.app_id = $1
`);

const CREATE = `
  insert into webhooks (webhook_id, app_id, url, types, description, max_per_second, sealed_secret, created_at, read_after, read_since)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
`;

const UPDATE = `
  update webhooks set
    failing_since = case when $3 or $4 <> url then null else failing_since end,
    off = case when $3 then null when not $3 then coalesce(off, 'manual') else off end,
    lease_owner = case when not $3 then null else lease_owner end,
    lease_until = case when not $3 then 0 else lease_until end,
    url = coalesce($4, url), types = coalesce($5, types), description = coalesce($6, description),
    max_per_second = case when $7::integer is null then max_per_second else nullif($7::integer, 0) end
  where app_id = $1 and webhook_id = $2 returning webhook_id
`;

// One rotation after another: the second sees what the first did.
const LOCK = `
  select previous_expires_at as "previousExpiresAt" from webhooks where app_id = $1 and webhook_id = $2 for no key update
`;
const ROTATE = `
  update webhooks set sealed_previous = sealed_secret, previous_expires_at = $4, sealed_secret = $3
  where app_id = $1 and webhook_id = $2
`;

// The current holder reads from another position, so it has to claim the webhook again.
const REPLAY = `
  update webhooks set read_after = $3, read_since = $4, lease_owner = null, lease_until = 0
  where app_id = $1 and webhook_id = $2 returning webhook_id
`;

const DELETE = 'delete from webhooks where app_id = $1 and webhook_id = $2 returning webhook_id';

export type WebhookRow = {
  webhook_id: string;
  app_id: number;
  url: string;
  types: string;
  description: string;
  sealed_secret: string;
  sealed_previous: string | null;
  previous_expires_at: number | null;
  created_at: number;
  off: WebhookOff | null;
  last_success_at: number | null;
  failing_since: number | null;
  max_per_second: number | null;
  read_after: number;
  read_since: number;
};

export function webhookStore(connections: Connections): WebhookStore {
  /** An act on a webhook that is there. */
  const change = <T>(text: string, [appId, ...values]: [number, ...unknown[]], outcome: T): Promise<T | 'unknown'> =>
    connections.transaction(async (query) => {
      const rows = await query(text, [appId, ...values]);
      if (rows.length === 0) return 'unknown';
      await logChange(query, 'webhooks', appId);
      return outcome;
    });

  return {
    create: (webhook, atMost) =>
      connections.transaction(async (query) => {
        const { webhookId, appId, url, types, description, maxPerSecond, sealedSecret, createdAt, position } = webhook;
        if (!(await lockApplication(query, appId))) return 'application-gone';
        const [row] = await query<{ count: number }>('select count(*) as count from webhooks where app_id = $1', [
          appId,
        ]);
        if ((row?.count ?? 0) >= atMost) return 'too-many';
        const what = [url, JSON.stringify(types), description, maxPerSecond, sealedSecret, createdAt];
        await query(CREATE, [webhookId, appId, ...what, position.after, position.since]);
        await logChange(query, 'webhooks', appId);
        return 'created';
      }),
    async list(appId) {
      return (await connections.read<WebhookRow>(LIST, [appId])).map(toWebhook);
    },
    async find(appId, webhookId) {
      const [row] = await connections.read<WebhookRow>(FIND, [appId, webhookId]);
      return row && toWebhook(row);
    },
    update: (appId, webhookId, { url, types, description, maxPerSecond, enabled }) =>
      change(
        UPDATE,
        [
          appId,
          webhookId,
          enabled ?? null,
          url ?? null,
          types ? JSON.stringify(types) : null,
          description ?? null,
          maxPerSecond === null ? 0 : (maxPerSecond ?? null),
        ],
        'updated',
      ),
    rotateSecret: (appId, webhookId, sealedSecret, previousExpiresAt, unlessValidAt) =>
      connections.transaction(async (query) => {
        const [found] = await query<{ previousExpiresAt: number | null }>(LOCK, [appId, webhookId]);
        if (!found) return 'unknown';
        if (unlessValidAt !== undefined && (found.previousExpiresAt ?? 0) > unlessValidAt) return 'previous-valid';
        await query(ROTATE, [appId, webhookId, sealedSecret, previousExpiresAt]);
        await logChange(query, 'webhooks', appId);
        return 'rotated';
      }),
    replay: (appId, webhookId, { after, since }) => change(REPLAY, [appId, webhookId, after, since], 'moved'),
    delete: (appId, webhookId) => change(DELETE, [appId, webhookId], 'deleted'),
    health: (appId, limit) => connections.read<WebhookHealth>(HEALTH, [appId, limit]),
    async listFailing(before) {
      return (await connections.read<WebhookRow>(LIST_FAILING, [before])).map(toWebhook);
    },
    async countOn() {
      return (await connections.read<{ count: number }>(COUNT_ON))[0]?.count ?? 0;
    },
  };
}

/** Two at once are counted one after the other. "No key": users may be created meanwhile. */
async function lockApplication(query: Query, appId: number): Promise<boolean> {
  return (await query('select app_id from applications where app_id = $1 for no key update', [appId])).length > 0;
}

function toWebhook(row: WebhookRow): WebhookRecord {
  const { position: _, ...webhook } = toLeased(row);
  return webhook;
}

export function toLeased(row: WebhookRow): LeasedWebhook {
  return {
    webhookId: row.webhook_id,
    appId: row.app_id,
    url: row.url,
    types: JSON.parse(row.types),
    description: row.description,
    sealedSecret: row.sealed_secret,
    previousSecret:
      row.sealed_previous === null || row.previous_expires_at === null
        ? null
        : { sealed: row.sealed_previous, expiresAt: row.previous_expires_at },
    createdAt: row.created_at,
    off: row.off,
    lastSuccessAt: row.last_success_at,
    failingSince: row.failing_since,
    maxPerSecond: row.max_per_second,
    position: { after: row.read_after, since: row.read_since },
  };
}
