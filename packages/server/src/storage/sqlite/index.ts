import { existsSync } from 'node:fs';
import { DISK_PROBLEM } from '../disk-problem.ts';
import type { ActCall, ImportEntry, Storage, StorageDriver } from '../port.ts';
import { connectToRead, connectToWrite } from './connection.ts';
import { takeTurns } from './import-turns.ts';
import { LATEST_MIGRATION, migrate, migrationState } from './migrations.ts';
import { SharedReads } from './shared-reads.ts';
import { sqliteStores } from './stores.ts';
import { Surveyor } from './surveyor.ts';
import { sqliteWhole } from './whole.ts';
import { Writer } from './writer.ts';

export function sqliteDriver(path: string): StorageDriver {
  const runMigrations = () => {
    const connection = connectToWrite(path);
    try {
      return migrate(connection.database);
    } finally {
      connection.close();
    }
  };
  return {
    async migrationState() {
      if (!existsSync(path)) return { applied: 0, latest: LATEST_MIGRATION };
      const connection = connectToRead(path);
      try {
        return migrationState(connection.database);
      } finally {
        connection.close();
      }
    },
    async migrate() {
      return runMigrations();
    },
    async open() {
      runMigrations();
      return openSqlite(path, await Writer.open(path));
    },
    whole: sqliteWhole(path),
  };
}

/** Reads run here, on the caller's thread, a few microseconds each (shared-reads.ts). Writes go to the writer thread. */
function openSqlite(path: string, writer: Writer): Storage {
  const reads = new SharedReads(path);
  const surveyor = new Surveyor(path);
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
    audited(actor, call) {
      if (call.store !== 'transfer') return writer.run('audited', actor, call);
      return importInTurn(() => writer.run('audited', actor, withEntriesAsText(call)));
    },
    async ping() {
      writer.check();
      reads.check();
    },
    problems: () => (writer.failedWrite.isRecent ? [DISK_PROBLEM] : []),
    purgeExpired: (now) => writer.run('purgeExpired', now),
    waitingActs: () => writer.waiting + reads.waiting,
    figures: () => ({
      committedActs: writer.committedActs,
      committedBatches: writer.committedBatches,
      connections: { open: 2, idle: 0, waiting: 0 },
    }),
    async close() {
      // The writer last: whoever closes last moves the write-ahead log into the file, and only a writer can.
      reads.close();
      await surveyor.close();
      await writer.close();
    },
  };
}

/** Objects of another thread take the writer longer to read than JSON. */
function withEntriesAsText({ args, ...call }: ActCall): ActCall {
  const [appId, entries, change] = args as [number, ImportEntry[], unknown];
  return { ...call, args: [appId, JSON.stringify(entries), change] };
}
