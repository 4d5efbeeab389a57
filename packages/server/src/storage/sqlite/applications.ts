import { joinLogo, type StoredSettings, splitLogo } from '../application-logo.ts';
import { toHex } from '../common/store.ts';
import type { ApplicationRecord, ApplicationStore, ApplicationUpdate, SecretRecord } from '../port.ts';
import { logChange } from './changes.ts';
import type { Connection } from './connection.ts';
import { toBytes } from './rows.ts';

const COLUMNS = 'app_id, client_id, name, settings, logo, created_at';
type ApplicationRow = StoredSettings & { app_id: number; client_id: string; name: string; created_at: number };

export function applicationReads(
  connection: Connection,
): Pick<ApplicationStore, 'list' | 'findByClientId' | 'secretUses'> {
  const complete = (row: ApplicationRow): ApplicationRecord => ({
    appId: row.app_id,
    clientId: row.client_id,
    name: row.name,
    settings: joinLogo(row),
    createdAt: row.created_at,
    secrets: connection
      .statement<{ secret_hash: Uint8Array; created_at: number; expires_at: number | null }>(
        `select secret_hash, created_at, expires_at from application_secrets where app_id = ?
         order by expires_at is not null, created_at desc`,
      )
      .all(row.app_id)
      .map((each) => ({ secretHash: toHex(each.secret_hash), createdAt: each.created_at, expiresAt: each.expires_at })),
  });

  return {
    async list(appIds) {
      const rows = appIds
        ? connection
            .statement<ApplicationRow>(
              `select ${COLUMNS} from applications where app_id in (select value from json_each(?)) order by created_at, app_id`,
            )
            .all(JSON.stringify(appIds))
        : connection.statement<ApplicationRow>(`select ${COLUMNS} from applications order by created_at, app_id`).all();
      return rows.map(complete);
    },
    async findByClientId(clientId) {
      const row = connection
        .statement<ApplicationRow>(`select ${COLUMNS} from applications where client_id = ?`)
        .get(clientId);
      return row && complete(row);
    },
    async secretUses(appId) {
      return connection
        .statement<{ secret_hash: Uint8Array; last_used_at: number | null }>(
          'select secret_hash, last_used_at from application_secrets where app_id = ?',
        )
        .all(appId)
        .map((row) => ({ secretHash: toHex(row.secret_hash), lastUsedAt: row.last_used_at }));
    },
  };
}

export function applicationActs(connection: Connection) {
  const addSecret = (appId: number, secret: SecretRecord): void => {
    connection
      .statement('insert into application_secrets (secret_hash, app_id, created_at, expires_at) values (?, ?, ?, ?)')
      .run(toBytes(secret.secretHash), appId, secret.createdAt, secret.expiresAt);
  };
  const exists = (appId: number): boolean =>
    connection.statement('select 1 from applications where app_id = ?').get(appId) !== undefined;

  return {
    createApplication(application: ApplicationRecord): 'created' | 'taken' {
      const { appId, clientId, name, settings, createdAt, secrets } = application;
      const { changes } = connection
        .statement(`insert into applications (${COLUMNS}) values (?, ?, ?, ?, ?, ?) on conflict do nothing`)
        .run(appId, clientId, name, ...splitLogo(settings), createdAt);
      if (changes === 0) return 'taken';
      for (const secret of secrets) addSecret(appId, secret);
      logChange(connection, 'application', appId);
      return 'created';
    },
    updateApplication(appId: number, { name, set = {}, reset = [] }: ApplicationUpdate): 'updated' | 'unknown' {
      const row = connection
        .statement<StoredSettings & { name: string }>('select name, settings, logo from applications where app_id = ?')
        .get(appId);
      if (!row) return 'unknown';
      const settings: Record<string, unknown> = { ...joinLogo(row), ...set };
      for (const setting of reset) delete settings[setting];
      connection
        .statement('update applications set name = ?, settings = ?, logo = ? where app_id = ?')
        .run(name ?? row.name, ...splitLogo(settings), appId);
      logChange(connection, 'application', appId);
      return 'updated';
    },
    rotateSecret(
      appId: number,
      secret: SecretRecord,
      previousExpiresAt: number,
      unlessValidAt?: number,
    ): 'rotated' | 'previous-valid' | 'unknown' {
      if (!exists(appId)) return 'unknown';
      const valid = connection.statement('select 1 from application_secrets where app_id = ? and expires_at > ?');
      if (unlessValidAt !== undefined && valid.get(appId, unlessValidAt)) return 'previous-valid';
      connection.statement('delete from application_secrets where app_id = ? and expires_at is not null').run(appId);
      connection
        .statement('update application_secrets set expires_at = ? where app_id = ?')
        .run(previousExpiresAt, appId);
      addSecret(appId, secret);
      logChange(connection, 'application', appId);
      return 'rotated';
    },
    endPreviousSecrets(appId: number): 'ended' | 'unknown' {
      if (!exists(appId)) return 'unknown';
      connection.statement('delete from application_secrets where app_id = ? and expires_at is not null').run(appId);
      logChange(connection, 'application', appId);
      return 'ended';
    },
    touchSecret(secretHash: string, at: number, unlessSince: number): void {
      connection
        .statement(
          `update application_secrets set last_used_at = ?
           where secret_hash = ? and (last_used_at is null or last_used_at <= ?)`,
        )
        .run(at, toBytes(secretHash), unlessSince);
    },
    deleteApplication(appId: number): 'deleted' | 'unknown' {
      const { changes } = connection.statement('delete from applications where app_id = ?').run(appId);
      if (changes === 0) return 'unknown';
      connection.statement('delete from deleted_users where app_id = ?').run(appId);
      connection.statement('delete from events where app_id = ?').run(appId);
      logChange(connection, 'application', appId);
      return 'deleted';
    },
  };
}
