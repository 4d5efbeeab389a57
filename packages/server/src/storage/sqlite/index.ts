import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ActCall,
  DatabaseRefused,
  type ImportEntry,
  type Problem,
  type Storage,
  type StorageDriver,
  worstFirst,
} from '../port.ts';
import { DISK_PROBLEM } from '../problems.ts';
import { connectToRead, connectToWrite } from './connection.ts';
import { DamageWatch } from './damage-watch.ts';
import { sqliteDump } from './dump.ts';
import { namingFile } from './errors.ts';
import { fileCheckReads } from './file-check.ts';
import { LATEST_MIGRATION, migrate, migrationState } from './migrations.ts';
import { identityOf, refuseMoved, refuseUnusablePath } from './open-file.ts';
import { leaveNote, type OpenNote, refuseForeign, refuseOtherLog, removeStaleNotes } from './open-note.ts';
import { sqliteScrub } from './scrub.ts';
import { SharedReads } from './shared-reads.ts';
import { sqliteStores } from './stores.ts';
import { Surveyor } from './surveyor.ts';
import { Writer } from './writer.ts';

/** `actMs`: how long a write waits for a writing process. */
export function sqliteDriver(path: string, link?: string, actMs?: number): StorageDriver {
  const runMigrations = () => {
    refuseUnusablePath(path);
    const connection = connectToWrite(path);
    try {
      const identity = identityOf(path);
      const state = migrate(connection.database);
      refuseMoved(path, identity);
      return state;
    } finally {
      connection.close();
    }
  };
  return {
    async migrationState() {
      if (!existsSync(path)) return { applied: 0, latest: LATEST_MIGRATION };
      refuseUnusablePath(path);
      refuseOtherLog(path);
      return namingFile(path, () => {
        const connection = connectToRead(path);
        try {
          refuseForeign(connection.database, path);
          return migrationState(connection.database);
        } finally {
          connection.close();
        }
      });
    },
    async migrate() {
      return namingFile(path, runMigrations);
    },
    async distribute() {
      throw new DatabaseRefused(
        'SQLite is one file on one machine: there are no workers to distribute users over.',
        'Move to PostgreSQL with Citus first: `innkeeper backup FILE`, then `innkeeper restore FILE` with INNKEEPER_DATABASE_URL set to it.',
      );
    },
    async open() {
      const writer = Writer.start(path, { link, busyMs: actMs });
      try {
        namingFile(path, runMigrations);
      } catch (error) {
        await writer.terminate();
        throw error;
      }
      return openSqlite(path, await writer.open(), leaveNote(path));
    },
    dump: sqliteDump(path),
    scrub: sqliteScrub(path),
  };
}

/** Reads run here, on the caller's thread, a few microseconds each (shared-reads.ts). Writes go to the writer thread. */
async function openSqlite(path: string, writer: Writer, note: OpenNote): Promise<Storage> {
  const { watch } = writer;
  const checkFile = (): void => watch.check();
  const reads = new SharedReads(path, checkFile);
  const surveyor = new Surveyor(path, () => {
    // Its thread may be about to open the file.
    watch.look();
    checkFile();
  });
  const damage = new DamageWatch(path, {
    last: reads.of(fileCheckReads).lastFileCheck,
    claim: (now, everyMs) => writer.run('claimFileCheck', now, everyMs),
    record: (check) => writer.run('recordFileCheck', check),
  });
  for (const part of [reads, surveyor, writer]) part.damage = damage;
  watch.onShorter = () => damage.suspect();
  await damage.start();
  const stores = sqliteStores(
    (makeReads) => reads.of(makeReads),
    (name, ...args) => writer.run(name, ...args),
    (name, ...args) => surveyor.run(name, ...args),
  );
  const importInTurn = takeTurns(() => writer.run('didOthersWrite'));
  return {
    ...stores,
    kind: 'sqlite',
    transfer: {
      ...stores.transfer,
      importUsers: (...args) => importInTurn(() => stores.transfer.importUsers(...args)),
    },
    audited(by, call) {
      if (call.store !== 'transfer') return writer.run('audited', by, call);
      return importInTurn(() => writer.run('audited', by, withEntriesAsText(call)));
    },
    async ping() {
      writer.check();
      reads.check();
    },
    problems() {
      const problems = [
        ...watch.problems(),
        ...damage.problems(),
        ...(writer.failedWrite.isRecent ? [DISK_PROBLEM] : []),
        ...(writer.lockedOut.isRecent ? [LOCK_PROBLEM] : []),
      ];
      return worstFirst(problems);
    },
    purgeExpired: (now) => writer.run('purgeExpired', now),
    waitingActs: () => writer.waiting + reads.waiting,
    figures: () => ({
      committedActs: writer.committedActs,
      committedBatches: writer.committedBatches,
      connections: { open: 2, idle: 0, waiting: 0 },
      logBytes: watch.logBytes,
    }),
    async close() {
      await damage.close();
      await surveyor.close();
      watch.look();
      // The connection that closes last moves the log into its file and removes the log at the path, if it can write. That must not
      // happen when the path leads to another file.
      if (watch.isMismatched) await writer.close();
      // Data written by killed commands is in our log.
      else removeStaleNotes(path);
      reads.close();
      await writer.close();
      note.remove();
    },
  };
}

/** Objects from another thread take the writer longer to read than JSON. */
function withEntriesAsText({ args, ...call }: ActCall): ActCall {
  const [appId, entries, change] = args as [number, ImportEntry[], unknown];
  return { ...call, args: [appId, JSON.stringify(entries), change] };
}

/** How long batches pause after another process wrote. */
const PAUSING_MS = 2_000;
/** Longer than SQLite sleeps between its first tries for the lock. */
const PAUSE_MS = 12;

/**
 * The batches of an import follow each other so closely that another process, such as a server, would rarely get the
 * lock and wait for a second. So after another process has written, batches pause for a while.
 */
function takeTurns(didOthersWrite: () => Promise<boolean>): <T>(importOne: () => Promise<T>) => Promise<T> {
  let pausingUntil = 0;
  let last: Promise<unknown> = Promise.resolve();

  const turn = async <T>(importOne: () => Promise<T>): Promise<T> => {
    // Requested in the same turn of the event loop, so it shares the transaction.
    const [result, othersWrote] = await Promise.all([importOne(), didOthersWrite()]);
    if (othersWrote) pausingUntil = performance.now() + PAUSING_MS;
    return result;
  };

  return (importOne) => {
    const considerate = performance.now() < pausingUntil;
    const importing = considerate ? last.then(() => sleep(PAUSE_MS)).then(() => turn(importOne)) : turn(importOne);
    last = importing.catch(() => {});
    return importing;
  };
}

/** Reported after a write failed to get the lock, until a write succeeds. */
const LOCK_PROBLEM: Problem = {
  kind: 'lock',
  message:
    'Writes fail because another process has locked the database for more than 5 seconds. A scrub, restore or import ends by itself; find one that hangs or was stopped, or another program that has the file open, and end it. Writes resume by themselves.',
  effect: 'read-only',
};
