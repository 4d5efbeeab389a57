import { joinLogo, type StoredSettings, splitLogo } from '../application-logo.ts';
import { lockApplication, toBytes, toHex } from '../common/store.ts';
import type { ApplicationRecord, ApplicationStore, SecretRecord } from '../port.ts';
import { logChange } from './changes.ts';
import { type Connections, statement } from './connections.ts';
import { violation } from './errors.ts';
import type { Query } from './transactions.ts';
import { userWalk } from './user-walk.ts';

/** Deleting a million users with their data takes minutes. */
export const DELETE_MS = 600_000;

// One row per secret; an application without secrets still has one row.
const COLUMNS = `
  select a.app_id, a.client_id, a.name, a.settings, a.logo, a.created_at,
    s.secret_hash, s.created_at as secret_created_at, s.expires_at as secret_expires_at
  from applications a left join application_secrets s on s.app_id = a.app_id
`;
const ORDER = 'order by a.created_at, a.app_id, s.expires_at is not null, s.created_at desc';
const LIST = statement(`${COLUMNS} ${ORDER}`);
const LIST_SOME = statement(`${COLUMNS} where a.app_id = any ($1::bigint[]) ${ORDER}`);
const FIND = statement(`${COLUMNS} where a.client_id = $1 ${ORDER}`);
const SECRET_USES = statement('select secret_hash, last_used_at from application_secrets where app_id = $1');
const TOUCH_SECRET = statement(`
  update application_secrets set last_used_at = $2
  where secret_hash = $1 and (last_used_at is null or last_used_at <= $3)
`);

type Row = StoredSettings & { app_id: number; client_id: string; name: string; created_at: number } & (
    | { secret_hash: null }
    | { secret_hash: Buffer; secret_created_at: number; secret_expires_at: number | null }
  );

export function applicationStore(connections: Connections): ApplicationStore {
  return {
    async create(application) {
      const { appId, clientId, name, settings, createdAt, secrets } = application;
      try {
        return await connections.transaction(async (query) => {
          const added = await query(
            `insert into applications (app_id, client_id, name, settings, logo, created_at) values ($1, $2, $3, $4, $5, $6)
             on conflict do nothing returning app_id`,
            [appId, clientId, name, ...splitLogo(settings), createdAt],
          );
          if (added.length === 0) return 'taken';
          for (const secret of secrets) await addSecret(query, appId, secret);
          await logChange(query, 'application', appId);
          return 'created';
        });
      } catch (error) {
        // Another application already has this secret.
        if (violation(error)?.kind === 'unique') return 'taken';
        throw error;
      }
    },

    async list(appIds) {
      const rows = await (appIds ? connections.read<Row>(LIST_SOME, [appIds]) : connections.read<Row>(LIST));
      return toApplications(rows);
    },

    async findByClientId(clientId) {
      return toApplications(await connections.read<Row>(FIND, [clientId]))[0];
    },

    update: (appId, { name, set = {}, reset = [] }) =>
      connections.transaction(async (query) => {
        // Serialises changes, so that none overwrites one it has not seen. "No key" still lets users be created.
        const [row] = await query<StoredSettings & { name: string }>(
          'select name, settings, logo from applications where app_id = $1 for no key update',
          [appId],
        );
        if (!row) return 'unknown';
        const settings: Record<string, unknown> = { ...joinLogo(row), ...set };
        for (const setting of reset) delete settings[setting];
        await query('update applications set name = $2, settings = $3, logo = $4 where app_id = $1', [
          appId,
          name ?? row.name,
          ...splitLogo(settings),
        ]);
        await logChange(query, 'application', appId);
        return 'updated';
      }),

    rotateSecret: (appId, secret, previousExpiresAt, unlessValidAt) =>
      connections.transaction(async (query) => {
        if (!(await lockApplication(query, appId))) return 'unknown';
        const valid = 'select 1 from application_secrets where app_id = $1 and expires_at > $2';
        if (unlessValidAt !== undefined && (await query(valid, [appId, unlessValidAt])).length > 0)
          return 'previous-valid';
        await query('delete from application_secrets where app_id = $1 and expires_at is not null', [appId]);
        await query('update application_secrets set expires_at = $2 where app_id = $1', [appId, previousExpiresAt]);
        await addSecret(query, appId, secret);
        await logChange(query, 'application', appId);
        return 'rotated';
      }),

    endPreviousSecrets: (appId) =>
      connections.transaction(async (query) => {
        if (!(await lockApplication(query, appId))) return 'unknown';
        await query('delete from application_secrets where app_id = $1 and expires_at is not null', [appId]);
        await logChange(query, 'application', appId);
        return 'ended';
      }),

    async touchSecret(secretHash, at, unlessSince) {
      await connections.write(TOUCH_SECRET, [toBytes(secretHash), at, unlessSince]);
    },

    async secretUses(appId) {
      const rows = await connections.read<{ secret_hash: Buffer; last_used_at: number | null }>(SECRET_USES, [appId]);
      return rows.map((row) => ({ secretHash: toHex(row.secret_hash), lastUsedAt: row.last_used_at }));
    },

    delete: (appId) =>
      connections.transaction(async (query) => {
        // Users are created and deleted meanwhile. Rows are locked in the order those statements use (user before
        // profile) to avoid deadlocks. The application's row, which every create reads, is locked last, so that few of
        // them wait and hold up their connection.
        if (!(await lockApplication(query, appId))) return 'unknown';
        await query('delete from users where app_id = $1', [appId]);
        await query(
          'delete from profiles p where app_id = $1 and not exists (select 1 from users u where u.user_id = p.user_id)',
          [appId],
        );
        await query('delete from deleted_users where app_id = $1', [appId]);
        await query('delete from applications where app_id = $1', [appId]);
        // Every save holds a lock on its user: all saves are done by now, and their events are visible.
        await query('delete from events where app_id = $1', [appId]);
        await logChange(query, 'application', appId);
        return 'deleted';
      }, DELETE_MS),

    countUsers: (appId) => userWalk(connections).countWalk(appId, { by: 'user' }),
  };
}

async function addSecret(query: Query, appId: number, secret: SecretRecord): Promise<void> {
  await query('insert into application_secrets (secret_hash, app_id, created_at, expires_at) values ($1, $2, $3, $4)', [
    toBytes(secret.secretHash),
    appId,
    secret.createdAt,
    secret.expiresAt,
  ]);
}

function toApplications(rows: Row[]): ApplicationRecord[] {
  const applications = new Map<number, ApplicationRecord>();
  for (const row of rows) {
    let application = applications.get(row.app_id);
    if (!application) {
      const { app_id: appId, client_id: clientId, name, created_at: createdAt } = row;
      application = { appId, clientId, name, settings: joinLogo(row), createdAt, secrets: [] };
      applications.set(appId, application);
    }
    if (row.secret_hash !== null) {
      application.secrets.push({
        secretHash: toHex(row.secret_hash),
        createdAt: row.secret_created_at,
        expiresAt: row.secret_expires_at,
      });
    }
  }
  return [...applications.values()];
}
