import { existsSync } from 'node:fs';
import { type Config, readConfig } from '../config.ts';
import { actingAs, currentActor } from '../domain/audit.ts';
import { checkSecret } from '../domain/check-secret.ts';
import { Clock, ClockWrong, readMark, SET_IF_WRONG, TOLERATED_MS } from '../domain/clock.ts';
import { createKeyring, type Keyring } from '../domain/keyring.ts';
import { type ApplicationRecord, type Storage, StorageUnavailable } from '../storage/port.ts';
import { showRoughly } from '../time.ts';
import { isWeakSecret } from '../unsafe-settings.ts';
import { cliAuthor } from './catalog-options.ts';
import type { CommandOptions } from './command.ts';
import { describeDatabase } from './database-files.ts';
import { Failure, UsageError } from './failure.ts';
import { makeDatabase, refuseLostDatabase } from './new-database.ts';
import { printNote } from './output.ts';
import { unknownApplication } from './refusals.ts';

/** A service may be off for a while; a longer gap more likely means a wrong clock. */
const LONG_MS = 30 * 86_400_000;
const SET_CLOCK =
  'Set it by NTP (timedatectl set-ntp true). If it is right, another clock was ahead: see `innkeeper doctor`.';

type Note = (text: string) => void;

/** `now` is the database's time, as in the service: a machine with a wrong clock writes no wrong times. */
export type OpenStorage = { storage: Storage; keyring: Keyring; config: Config; now: () => number; note: Note };

/**
 * Opens the database in the settings, next to a server that may be using it, and closes it at the end. Commands that
 * write create a missing file; for others, it means a mistyped path.
 */
export async function withStorage<T>(
  options: CommandOptions,
  use: (open: OpenStorage) => Promise<T>,
  { makesDatabase = false }: { makesDatabase?: boolean } = {},
): Promise<T> {
  const draft = readConfig(options, { needsSecret: false });
  const { databaseUrl } = draft;
  if (!makesDatabase) refuseMissingDatabase(draft);
  const isNew = await makeDatabase(draft);
  const config = readConfig(options);
  const [{ storageDriver }, { auditedStorage }] = await Promise.all([
    import('../storage/open.ts'),
    import('../storage/audited-storage.ts'),
  ]);
  const storage = await (await storageDriver(databaseUrl, config.databaseLink)).open();
  const note = (text: string): void => printNote(options, text);
  if (isNew) note(`created a new database, ${describeDatabase(databaseUrl)}`);
  try {
    const keyring = createKeyring(config.secret, config.secretPrevious);
    // A database keeps the secret it was first used with, and `serve` refuses a weak one: accepting it here would be a
    // trap.
    if (isWeakSecret(config.secret) && (await storage.facts.get('secret-check')) === undefined) {
      throw new Failure('INNKEEPER_SECRET is weak, and a new database would depend on it.', {
        remedy: 'Create one with: openssl rand -base64 48',
      });
    }
    await checkSecret(storage, keyring);
    const clock = new Clock(storage);
    await clock.measure();
    const { now } = clock;
    if (storage.kind === 'sqlite') await checkClock(storage, now(), note);
    const audited = auditedStorage(storage, currentActor, now);
    return await actingAs(cliAuthor(), () => use({ storage: audited, keyring, config, now, note }));
  } catch (error) {
    if (error instanceof StorageUnavailable && storage.problems().some(({ kind }) => kind === 'lock')) {
      const { lockOf } = await import('../storage/open.ts');
      throw (await lockOf(databaseUrl)) ?? error;
    }
    throw error;
  } finally {
    await storage.close();
  }
}

/**
 * A SQLite file only has this machine's clock: one that is behind the last time seen in the database would make
 * credentials expire immediately.
 */
async function checkClock({ facts }: Storage, now: number, note: Note): Promise<void> {
  const mark = await readMark(facts);
  const aheadMs = mark ? now - mark.at : 0;
  if (aheadMs < -TOLERATED_MS) {
    throw new ClockWrong(
      `The clock of this machine is ${showRoughly(-aheadMs)} behind the time last seen in the database. ${SET_CLOCK}`,
    );
  }
  if (aheadMs <= LONG_MS) return;
  note(`the clock is ${showRoughly(aheadMs)} ahead of the time last seen in the database. ${SET_IF_WRONG}`);
}

/** Opening a PostgreSQL database never creates it. */
function isMissingFile(databaseUrl: string): boolean {
  return databaseUrl.startsWith('sqlite:') && !existsSync(databaseUrl.slice('sqlite:'.length));
}

/** For commands that create no database: a lost database and one that never existed have different fixes. */
export function refuseMissingDatabase(config: Config): void {
  const { databaseUrl } = config;
  if (!isMissingFile(databaseUrl)) return;
  refuseLostDatabase(config);
  throw new UsageError(`no database at ${databaseUrl.slice('sqlite:'.length)}.`, {
    remedy:
      'Check the path in --database-url or INNKEEPER_DATABASE_URL. To create one: innkeeper migrate, innkeeper app create, or npm start.',
  });
}

export async function findApplication(storage: Storage, clientId: string): Promise<ApplicationRecord> {
  const application = await storage.applications.findByClientId(clientId);
  if (!application) throw unknownApplication(clientId);
  return application;
}
