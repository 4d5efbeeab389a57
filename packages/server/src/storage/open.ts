import type { StorageDriver } from './port.ts';

/** The one place that knows both databases. Only the one in use is loaded. */
export async function storageDriver(databaseUrl: string): Promise<StorageDriver> {
  if (databaseUrl.startsWith('sqlite:')) {
    return (await import('./sqlite/index.ts')).sqliteDriver(databaseUrl.slice('sqlite:'.length));
  }
  return (await import('./postgres/index.ts')).postgresDriver(databaseUrl);
}
