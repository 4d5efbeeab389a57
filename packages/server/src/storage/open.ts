import {
  type BackupFiles,
  type DatabaseCapacity,
  DatabaseRefused,
  type DataCheck,
  type DataCheckOptions,
  type StorageDriver,
} from './port.ts';

/**
 * The only place that knows both databases. Loads only the one in use. `databaseLink` is the symbolic link that led to
 * the file; `actMs` is how long an act waits for a lock.
 */
export async function storageDriver(
  databaseUrl: string,
  databaseLink?: string,
  actMs?: number,
): Promise<StorageDriver> {
  if (databaseUrl.startsWith('sqlite:')) {
    return (await import('./sqlite/index.ts')).sqliteDriver(databaseUrl.slice('sqlite:'.length), databaseLink, actMs);
  }
  return (await import('./postgres/index.ts')).postgresDriver(databaseUrl, actMs);
}

/** Writes the time, harmlessly: a read would not notice a full or read-only disk. */
export async function tryWrite(databaseUrl: string, at: number): Promise<void> {
  const value = new Date(at).toISOString();
  if (databaseUrl.startsWith('sqlite:')) {
    (await import('./sqlite/doctor-probes.ts')).tryWrite(databaseUrl.slice('sqlite:'.length), value);
  } else {
    await (await import('./postgres/doctor-probes.ts')).tryWrite(databaseUrl, value);
  }
}

/** Reports what has locked the database, if that can be found out. */
export async function lockOf(databaseUrl: string): Promise<DatabaseRefused | undefined> {
  if (databaseUrl.startsWith('sqlite:')) {
    return (await import('./sqlite/errors.ts')).locked(databaseUrl.slice('sqlite:'.length));
  }
  const [{ findLockHolder }, { Servers }] = await Promise.all([
    import('./postgres/lock-watch.ts'),
    import('./postgres/servers.ts'),
  ]);
  const problem = await findLockHolder(new Servers(databaseUrl));
  if (!problem) return undefined;
  const end = problem.message.indexOf('. ') + 1;
  return new DatabaseRefused(problem.message.slice(0, end), problem.message.slice(end + 1));
}

export async function roomOf(databaseUrl: string): Promise<DatabaseCapacity> {
  if (databaseUrl.startsWith('sqlite:')) {
    return (await import('./sqlite/doctor-probes.ts')).diskCapacity(databaseUrl.slice('sqlite:'.length));
  }
  return (await import('./postgres/doctor-probes.ts')).connectionCapacity(databaseUrl);
}

/** Both databases use SQLite's format. */
export async function backupFiles(): Promise<BackupFiles> {
  return (await import('./sqlite/backup-file.ts')).backupFiles;
}

/** Checks the data for consistency. Changes nothing. */
export async function checkData(databaseUrl: string, options: DataCheckOptions): Promise<DataCheck> {
  if (databaseUrl.startsWith('sqlite:')) {
    return (await import('./sqlite/doctor-probes.ts')).checkData(databaseUrl.slice('sqlite:'.length), options);
  }
  return (await import('./postgres/doctor-probes.ts')).checkData(databaseUrl, options);
}

/**
 * Records damage found by `checkData` for services that use the file. Not needed for PostgreSQL, which checks itself.
 */
export async function recordDamage(databaseUrl: string, findings: string[]): Promise<void> {
  if (findings.length === 0 || !databaseUrl.startsWith('sqlite:')) return;
  (await import('./sqlite/doctor-probes.ts')).recordCheck(databaseUrl.slice('sqlite:'.length), findings);
}
