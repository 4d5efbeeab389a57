import type { ApplicationRecord, ApplicationStore, SecretRecord } from '../port.ts';
import { type CommonStore, lockApplication, type Query, toBytes, toHex } from './store.ts';

// One row per secret; an application without secrets still has one row.
const COLUMNS = `
  select a.app_id, a.client_id, a.name, a.settings, a.logo, a.created_at,
    s.secret_hash, s.created_at as secret_created_at, s.expires_at as secret_expires_at
  from applications a left join application_secrets s on s.app_id = a.app_id
`;
const ORDER = 'order by a.created_at, a.app_id, s.expires_at is not null, s.created_at desc';

/** The logo has its own column: every save reads `settings`, and a logo may be ten times as long. */
type StoredSettings = { settings: string; logo: string | null };

type Row = StoredSettings & { app_id: number; client_id: string; name: string; created_at: number } & (
    | { secret_hash: null }
    | { secret_hash: Uint8Array; secret_created_at: number; secret_expires_at: number | null }
  );

/** Each database counts users in its own way. */
export const applications: CommonStore<
  Omit<ApplicationStore, 'countUsers'>,
  'list' | 'findByClientId' | 'secretUses'
> = {
  reads: {
    async list(query, appIds) {
      if (!appIds) return toApplications(await query<Row>(`${COLUMNS} ${ORDER}`));
      const some = `${COLUMNS} where a.app_id in (select app_id from json_to_recordset($1::json) as wanted (app_id bigint)) ${ORDER}`;
      return toApplications(await query<Row>(some, [JSON.stringify(appIds.map((app_id) => ({ app_id })))]));
    },
    async findByClientId(query, clientId) {
      return toApplications(await query<Row>(`${COLUMNS} where a.client_id = $1 ${ORDER}`, [clientId]))[0];
    },
    async secretUses(query, appId) {
      const uses = 'select secret_hash, last_used_at from application_secrets where app_id = $1';
      const rows = await query<{ secret_hash: Uint8Array; last_used_at: number | null }>(uses, [appId]);
      return rows.map((row) => ({ secretHash: toHex(row.secret_hash), lastUsedAt: row.last_used_at }));
    },
  },
  acts: {
    async create({ query, logChange }, { appId, clientId, name, settings, createdAt, secrets }) {
      for (const { secretHash } of secrets) {
        const taken = 'select app_id from application_secrets where secret_hash = $1';
        if ((await query(taken, [toBytes(secretHash)])).length > 0) return 'taken';
      }
      const added = await query(
        `insert into applications (app_id, client_id, name, settings, logo, created_at) values ($1, $2, $3, $4, $5, $6)
         on conflict do nothing returning app_id`,
        [appId, clientId, name, ...splitLogo(settings), createdAt],
      );
      if (added.length === 0) return 'taken';
      for (const secret of secrets) await addSecret(query, appId, secret);
      await logChange('application', appId);
      return 'created';
    },
    async update({ query, logChange }, appId, { name, set = {}, reset = [] }) {
      // Serialises changes, so that none overwrites one it has not seen. "No key" still lets users be created.
      const [row] = await query<StoredSettings & { name: string }>(
        'select name, settings, logo from applications where app_id = $1 for no key update',
        [appId],
      );
      if (!row) return 'unknown';
      const settings: Record<string, unknown> = { ...joinLogo(row), ...set };
      for (const setting of reset) delete settings[setting];
      await query('update applications set name = $2, settings = $3, logo = $4 where app_id = $1', [
        ...[appId, name ?? row.name, ...splitLogo(settings)],
      ]);
      await logChange('application', appId);
      return 'updated';
    },
    async rotateSecret({ query, logChange }, appId, secret, previousExpiresAt, unlessValidAt) {
      if (!(await lockApplication(query, appId))) return 'unknown';
      const valid = 'select app_id from application_secrets where app_id = $1 and expires_at > $2';
      if (unlessValidAt !== undefined && (await query(valid, [appId, unlessValidAt])).length > 0) {
        return 'previous-valid';
      }
      await query('delete from application_secrets where app_id = $1 and expires_at is not null', [appId]);
      await query('update application_secrets set expires_at = $2 where app_id = $1', [appId, previousExpiresAt]);
      await addSecret(query, appId, secret);
      await logChange('application', appId);
      return 'rotated';
    },
    async endPreviousSecrets({ query, logChange }, appId) {
      if (!(await lockApplication(query, appId))) return 'unknown';
      await query('delete from application_secrets where app_id = $1 and expires_at is not null', [appId]);
      await logChange('application', appId);
      return 'ended';
    },
    async touchSecret({ query }, secretHash, at, unlessSince) {
      await query(
        `update application_secrets set last_used_at = $2
         where secret_hash = $1 and (last_used_at is null or last_used_at <= $3)`,
        [toBytes(secretHash), at, unlessSince],
      );
    },
    async delete({ query, logChange }, appId) {
      // Users are created and deleted meanwhile. Rows are locked in the order those statements use (user before
      // profile) to avoid deadlocks. The application's row, which every create reads, is locked last, so that few of
      // them wait and hold up their connection.
      if (!(await lockApplication(query, appId))) return 'unknown';
      await query('delete from users where app_id = $1', [appId]);
      const orphans = 'not exists (select 1 from users u where u.user_id = profiles.user_id)';
      await query(`delete from profiles where app_id = $1 and ${orphans}`, [appId]);
      await query('delete from deleted_users where app_id = $1', [appId]);
      await query('delete from applications where app_id = $1', [appId]);
      // Every save holds a lock on its user: all saves are done by now, and their events are visible.
      await query('delete from events where app_id = $1', [appId]);
      await logChange('application', appId);
      return 'deleted';
    },
  },
};

async function addSecret(query: Query, appId: number, secret: SecretRecord): Promise<void> {
  const { secretHash, createdAt, expiresAt } = secret;
  await query('insert into application_secrets (secret_hash, app_id, created_at, expires_at) values ($1, $2, $3, $4)', [
    ...[toBytes(secretHash), appId, createdAt, expiresAt],
  ]);
}

function toApplications(rows: readonly Row[]): ApplicationRecord[] {
  const applications = new Map<number, ApplicationRecord>();
  for (const row of rows) {
    let application = applications.get(row.app_id);
    if (!application) {
      const { app_id: appId, client_id: clientId, name, created_at: createdAt } = row;
      application = { appId, clientId, name, settings: joinLogo(row), createdAt, secrets: [] };
      applications.set(appId, application);
    }
    if (row.secret_hash !== null) {
      const { secret_hash: hash, secret_created_at: createdAt, secret_expires_at: expiresAt } = row;
      application.secrets.push({ secretHash: toHex(hash), createdAt, expiresAt });
    }
  }
  return [...applications.values()];
}

function joinLogo({ settings, logo }: StoredSettings): Record<string, unknown> {
  return { ...JSON.parse(settings), ...(logo !== null && { logo }) };
}

function splitLogo({ logo, ...settings }: Record<string, unknown>): [settings: string, logo: string | null] {
  return [JSON.stringify(settings), typeof logo === 'string' ? logo : null];
}
