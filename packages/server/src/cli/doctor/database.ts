import { messageOf } from '../../caught.ts';
import type { Config } from '../../config.ts';
import { SECRET_FACT, secretProblem } from '../../domain/check-secret.ts';
import {
  Clock,
  isSuspicious,
  type Mark,
  NOTICED_MS,
  readMark,
  SET_IF_WRONG,
  SET_THE_CLOCK,
  TOLERATED_MS,
} from '../../domain/clock.ts';
import { createKeyring } from '../../domain/keyring.ts';
import { countSealed } from '../../domain/rotate-master-secret.ts';
import {
  type DatabaseCapacity,
  DatabaseDamaged,
  DatabaseHardLinked,
  DatabaseRefused,
  type DataCheck,
  type MigrationState,
  type Storage,
} from '../../storage/port.ts';
import { hardLinkSteps, RESTORE_STEPS } from '../../storage/problems.ts';
import { formatTime } from '../../time.ts';
import { describeDatabase } from '../database-files.ts';
import { readOnlySteps } from '../explain-error.ts';
import { splitRemedy } from '../failure.ts';
import { counted, showRoughly, showSize } from '../output.ts';
import type { Progress } from '../terminal.ts';
import { type Check, failed, passed, warned, withinLimit } from './check.ts';

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
      return { checks: [failed('database', error.message, error.remedy), checkClock([])] };
    }
    const isPostgres = !config.databaseUrl.startsWith('sqlite:');
    const { lockOf } = await import('../../storage/open.ts');
    const lock = isPostgres && (await withinLimit(lockOf(config.databaseUrl), LIMIT_MS).catch(() => undefined));
    if (lock) return { checks: [failed('database', `${database}: ${lock.message}`, lock.remedy), checkClock([])] };
    const remedy = config.databaseUrl.startsWith('sqlite:')
      ? 'Check the path in INNKEEPER_DATABASE_URL, its permissions and the free disk space.'
      : 'Check INNKEEPER_DATABASE_URL (host, port, user, password, database name) and that PostgreSQL is running.';
    const fix = readOnlySteps(error) ?? remedy;
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

const RESTORE_POSTGRES =
  'Copy the data directory, restore the last valid backup (innkeeper restore, or your own PostgreSQL backup), then check the disk and the server log.';
/** More would fill the screen. */
const SHOWN = 3;

export type DoctorOptions = { deep: boolean; progress: Progress };

/** Reads the whole database: the only check that takes long. `deep` takes about five times as long. */
async function checkConsistency(
  databaseUrl: string,
  { deep, progress }: DoctorOptions,
): Promise<{ check: Check; findings: string[] }> {
  const { checkData } = await import('../../storage/open.ts');
  const remedy = databaseUrl.startsWith('sqlite:') ? RESTORE_STEPS : RESTORE_POSTGRES;
  try {
    const onStep = (what: string, done: number, of: number): void => progress.show(done, 'checks', done / of, what);
    const found = await checkData(databaseUrl, { deep, onStep });
    return { check: describe(found, remedy), findings: found.findings };
  } catch (error) {
    const check =
      error instanceof DatabaseDamaged
        ? failed('data', error.message, remedy)
        : failed('data', `check failed: ${messageOf(error)}`, afterFailure(error as Error));
    return { check, findings: [] };
  } finally {
    progress.clear();
  }
}

/** PostgreSQL needs some space for the check itself: it creates the expected tables and rolls back. */
function afterFailure({ message }: Error): string {
  const again = 'Run `innkeeper doctor` again.';
  return /no space left|disk is full/i.test(message) ? `Free some disk space where the database is. ${again}` : again;
}

function describe({ checked, findings, skipped }: DataCheck, remedy: string): Check {
  if (findings.length > 0) {
    const more = findings.length > SHOWN ? `; and ${findings.length - SHOWN} more` : '';
    return failed('data', `damaged: ${findings.slice(0, SHOWN).join('; ')}${more}`, remedy);
  }
  if (skipped) return warned('data', `${checked} are consistent; ${skipped.what}`, skipped.remedy);
  return passed('data', `${checked} are consistent`);
}

/** Less free space than this is used up by logs and updates alone. */
const LEAST_BYTES = 512 * 2 ** 20;
const NEARLY_ALL = 0.8;

/** Warns before the disk is full. */
async function checkRoom({ databaseUrl }: Config): Promise<Check> {
  const { roomOf } = await import('../../storage/open.ts');
  return checkCapacity(await roomOf(databaseUrl));
}

export function checkCapacity(room: DatabaseCapacity): Check {
  if (room.kind === 'connections') {
    const { used, most } = room;
    const detail = `${used} of ${most} of PostgreSQL are in use`;
    if (used < most * NEARLY_ALL) return passed('connections', detail);
    return warned(
      'connections',
      detail,
      'Raise max_connections, put pgbouncer in between, or lower INNKEEPER_WORKERS or the number of replicas.',
    );
  }
  const { free, size, forScrub } = room;
  const detail = `${showSize(free)} free beside a database of ${showSize(size)}`;
  if (free >= Math.max(forScrub, LEAST_BYTES)) return passed('disk', detail);
  return warned(
    'disk',
    detail,
    `Free some space, or move the database to a larger disk: a scrub needs ${showSize(forScrub)}, and a backup the size of the database.`,
  );
}

/** Whether the secret is the database's and, during a rotation, how far that is. */
async function checkMasterSecret(storage: Storage, config: Config): Promise<Check[]> {
  const check = await storage.facts.get(SECRET_FACT);
  if (check === undefined) return [];
  const keyring = createKeyring(config.secret, config.secretPrevious);
  const state = keyring.master.adopt(check);
  const problem = secretProblem(state, keyring.master);
  if (problem !== undefined) {
    const { message, remedy = '' } = splitRemedy(problem);
    return [failed('secret', message, remedy)];
  }
  if (!state || keyring.master.previousId === undefined) return [];
  const previous = config.secretFile === undefined ? 'INNKEEPER_SECRET_PREVIOUS' : `${config.secretFile}.previous`;
  const { current, left, total } = await countSealed(storage, keyring);
  const progress = `${current} of ${total} sealed records under the new secret`;
  if (state.under === 'previous' || !state.isResealed || left > 0) {
    const when = config.secretFile === undefined ? 'When every replica has both secrets, run' : 'Run';
    return [
      warned('secret', `rotation in progress: ${progress}; ${previous} is needed`, `${when}: innkeeper secret rotate`),
    ];
  }
  const links =
    state.rotatedAt === undefined
      ? ''
      : ` Preference links from before ${formatTime(state.rotatedAt)} UTC stop working then.`;
  return [
    warned(
      'secret',
      `rotated: ${progress}`,
      `${previous} can be removed when every replica has the new secret.${links}`,
    ),
  ];
}

/** This version was made in this year: a correct clock is not before it. */
const FIRST_YEAR = 2026;
const LAST_YEAR = 2100;
const DAY_MS = 86_400_000;
const SET_THIS_CLOCK = 'Synchronise this machine with NTP: timedatectl set-ntp true';

/** `skewMs` is undefined for SQLite: a file has no clock to compare with. */
type ClockReading = { skewMs: number | undefined; mark: Mark | undefined };

async function readClock(storage: Storage): Promise<ClockReading> {
  const clock = new Clock(storage);
  await clock.measure();
  return {
    skewMs: storage.kind === 'postgres' ? clock.skewMs : undefined,
    mark: await readMark(storage.facts),
  };
}

/**
 * Records are written in the past, whichever machine wrote them: if the clock is behind the newest one, it was wrong
 * then or is wrong now.
 */
export function checkClock(writtenTimes: readonly number[], reading?: ClockReading, now = Date.now()): Check {
  const time = `${formatTime(now)} UTC`;
  const year = new Date(now).getUTCFullYear();
  if (year < FIRST_YEAR || year > LAST_YEAR) return failed('clock', `${time} is not plausible`, SET_THIS_CLOCK);

  const { skewMs, mark } = reading ?? {};
  if (skewMs !== undefined && Math.abs(skewMs) > NOTICED_MS) {
    const by = `${showRoughly(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'} the database's clock`;
    if (Math.abs(skewMs) <= TOLERATED_MS) return warned('clock', `${time} is ${by}`, SET_THE_CLOCK);
    return failed('clock', `${time} is ${by}; \`innkeeper serve\` refuses to start`, SET_THE_CLOCK);
  }
  const newest = [...writtenTimes, mark?.at ?? 0].reduce((latest, each) => Math.max(latest, each), 0);
  if (newest > now + TOLERATED_MS) {
    const detail = `${time} is ${showRoughly(newest - now)} before the newest record in the database`;
    return failed(
      'clock',
      detail,
      `${SET_THIS_CLOCK}. If this clock is right, the clock of another replica was ahead.`,
    );
  }
  const seen = mark ? `, last seen in the database at ${formatTime(mark.at)}` : '';
  if (mark && isSuspicious(mark)) {
    const jump = `the clock jumped ${showRoughly(Math.abs(mark.doubtMs))} ${mark.doubtMs > 0 ? 'ahead' : 'back'}`;
    const detail = `${time}${seen}; ${jump} or the service was off: purging is paused for ${showRoughly(mark.waitMs)}`;
    return warned('clock', detail, SET_IF_WRONG);
  }
  if (mark && skewMs === undefined && now - mark.at > DAY_MS) {
    const detail = `${time} is ${showRoughly(now - mark.at)} after the time last seen in the database: the clock is ahead, or the service was off`;
    return warned('clock', detail, SET_IF_WRONG);
  }
  const skew = skewMs === undefined ? seen : `, ${Math.round(Math.abs(skewMs))} ms from the database's clock`;
  return passed('clock', `${time}${skew}`);
}
