import { join } from 'node:path';
import { type PostgresOptions, type PostgresServer, startPostgres } from '../packages/server/test/postgres-server.ts';
import type { CampaignContext } from './campaign.ts';

export type Database = { kind: 'sqlite' | 'postgres'; url: string };

/** A new, empty database of each kind. Both flush commits to disk. */
export async function bothDatabases(context: CampaignContext): Promise<Database[]> {
  const postgres = await postgresFor(context);
  return [
    { kind: 'sqlite', url: sqliteIn(context.folder) },
    { kind: 'postgres', url: await postgres.createDatabase() },
  ];
}

export function sqliteIn(folder: string): string {
  return `sqlite:${join(folder, 'innkeeper.db')}`;
}

/** A separate PostgreSQL server for a campaign. */
export async function postgresFor(context: CampaignContext, options: PostgresOptions = {}): Promise<PostgresServer> {
  const postgres = await startPostgres({ durable: true, ...options });
  context.defer(() => postgres.stop());
  return postgres;
}
