import type { Config } from '../../config.ts';
import {
  DatabaseDamaged,
  DatabaseHardLinked,
  DatabaseRefused,
  type MigrationState,
  type Storage,
} from '../../storage/port.ts';
import { hardLinkSteps, RESTORE_STEPS } from '../../storage/repair-steps.ts';
import { describeDatabase } from '../describe-database.ts';
import { readOnlySteps } from '../read-only-steps.ts';
import { counted } from '../time.ts';
import { type Check, failed, passed, withinLimit } from './check.ts';
import { checkClock, readClock } from './clock.ts';
import { checkConsistency, type DoctorOptions } from './data.ts';
import { checkMasterSecret } from './master-secret.ts';
import { checkRoom } from './room.ts';

/** Starting and running a few statements can take this long on a busy machine. */
const LIMIT_MS = 10_000;

/** `keyIds`: the ids of its signing keys, if it could be read: they tell one database from another. */
type Examined = { checks: Check[]; keyIds?: readonly string[] };

/**
 * Reads the state of the migrations first and opens the database only if none is pending: opening runs them, and the
 * doctor must not change anything.
 */
export async function checkDatabase(config: Config, options: DoctorOptions): Promise<Examined> {
  const database = describeDatabase(config.databaseUrl);
  let damage: Check | undefined;
  try {
    const { recordDamage, storageDriver, tryWrite } = await import('../../storage/open.ts');
    const driver = await storageDriver(config.databaseUrl);
    const state = await withinLimit(driver.migrationState(), LIMIT_MS);
    if (state.applied !== state.latest)
      return { checks: [passed('database', database), failedMigrations(state), checkClock([])] };

    // Before it is opened: a clean check clears damage that was recorded earlier.
    const { check, findings } = await checkConsistency(config.databaseUrl, options);
    if (!check.ok) damage = check;
    const storage = await withinLimit(driver.open(), LIMIT_MS);
    try {
      await withinLimit(tryWrite(config.databaseUrl, Date.now()), LIMIT_MS);
      const examined = await withinLimit(examine(storage, config, database, state), LIMIT_MS);
      examined.checks.splice(2, 0, check, await withinLimit(checkRoom(config), LIMIT_MS));
      await recordDamage(config.databaseUrl, findings);
      return examined;
    } finally {
      await withinLimit(storage.close(), LIMIT_MS).catch(() => {});
    }
  } catch (error) {
    if (error instanceof DatabaseDamaged) {
      return { checks: [damage ?? failed('database', error.message, RESTORE_STEPS), checkClock([])] };
    }
    if (error instanceof DatabaseHardLinked) {
      return { checks: [failed('database', error.message, hardLinkSteps(error.path)), checkClock([])] };
    }
    if (error instanceof DatabaseRefused) {
      return { checks: [failed('database', error.message, error.wayOut), checkClock([])] };
    }
    const isPostgres = !config.databaseUrl.startsWith('sqlite:');
    const { lockOf } = await import('../../storage/open.ts');
    const lock = isPostgres && (await withinLimit(lockOf(config.databaseUrl), LIMIT_MS).catch(() => undefined));
    if (lock) return { checks: [failed('database', `${database}: ${lock.message}`, lock.wayOut), checkClock([])] };
    const wayOut = config.databaseUrl.startsWith('sqlite:')
      ? 'Check the path in INNKEEPER_DATABASE_URL, its permissions and the free disk space.'
      : 'Check INNKEEPER_DATABASE_URL (host, port, user, password, database name) and that PostgreSQL is running.';
    const fix = readOnlySteps(error) ?? wayOut;
    return { checks: [failed('database', `${database}: ${reasonOf(error)}`, fix), checkClock([])] };
  }
}

async function examine(storage: Storage, config: Config, database: string, state: MigrationState): Promise<Examined> {
  await storage.ping();
  const [applications, keys] = await Promise.all([storage.applications.list(), storage.signingKeys.list()]);
  const checks = [
    passed('database', `${database}, readable and writable`),
    passed('migrations', `all ${state.latest} applied`),
    ...(await checkMasterSecret(storage, config)),
    checkClock(
      [...applications, ...keys].map((record) => record.createdAt),
      await readClock(storage),
    ),
  ];
  return { checks, keyIds: keys.map(({ kid }) => kid) };
}

function failedMigrations({ applied, latest }: MigrationState): Check {
  if (applied > latest) {
    const detail = `the database was last used by a newer Innkeeper (schema ${applied}; this version supports ${latest})`;
    return failed('migrations', detail, 'Run that version or a later one.');
  }
  const detail = applied === 0 ? 'the database is new' : `${counted(latest - applied, 'migration')} pending`;
  return failed('migrations', detail, 'Run: innkeeper migrate (`innkeeper serve` also does this at startup)');
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message || ('code' in error ? String(error.code) : error.name);
  return message.replace(/^PostgreSQL cannot be reached: /, 'cannot be reached: ');
}
