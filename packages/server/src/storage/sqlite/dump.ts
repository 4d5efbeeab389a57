import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../caught.ts';
import type { Contents, DatabaseDump } from '../port.ts';
import { connectToRead, connectToWrite } from './connection.ts';
import { damaged, isDamage } from './errors.ts';
import { migrate } from './migrations.ts';
import { identityOf, refuseMoved, refuseSecondNames } from './open-file.ts';
import { rowInserter, rowPages } from './tables.ts';

const SQLITE_BUSY = 5;

export function sqliteDump(path: string): DatabaseDump {
  const naming = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      refuseSecondNames(path);
      return await work();
    } catch (error) {
      throw isDamage(error) ? damaged(path, messageOf(error), error) : error;
    }
  };
  return {
    kind: 'sqlite',
    read: (_tables, use) =>
      naming(async () => {
        const { database, close } = connectToRead(path);
        try {
          // Readers of a write-ahead log see a snapshot from when they began, and block no writer.
          database.exec('begin');
          return await use(rowPages(database));
        } finally {
          close();
        }
      }),
    contents: () =>
      naming(async () => {
        if (!existsSync(path)) return { applications: 0, users: 0, accounts: 0 };
        const { database, close } = connectToRead(path);
        try {
          return countContents(database);
        } finally {
          close();
        }
      }),
    replace: (tables, rows, { onlyEmpty, check }) =>
      naming(async () => {
        const { database, close } = connectToWrite(path);
        try {
          // Tables are emptied and filled one after another: references are checked by comparing with the backup
          // instead.
          database.exec('pragma foreign_keys = off');
          // Next to a running service: its reads see the old state until the commit, and its writes wait.
          if (!beginToWrite(database)) return 'in-use';
          const identity = identityOf(path);
          const { applications, accounts } = countContents(database);
          if (onlyEmpty && applications + accounts > 0) return 'not-empty';
          for (const { name } of tables.toReversed()) database.exec(`delete from "${name}"`);
          for (const table of tables) {
            const insert = rowInserter(database, table);
            for await (const page of rows(table)) insert(page);
          }
          // A version without an entry makes running processes reload everything.
          database.exec(`
          insert into change_log (subject, at) values ('application', 0);
          delete from change_log;
        `);
          await check(rowPages(database));
          // Event numbers already used, here or where the backup was made, are not reused: some events were read and
          // are gone.
          database.exec(`
          update sqlite_sequence set seq = max(seq, cast(unixepoch('subsec') * 1000000 as integer)) where name = 'events'
        `);
          // Check before the commit too, while it can still be rolled back.
          refuseMoved(path, identity);
          database.exec('commit');
          refuseMoved(path, identity);
          return 'replaced';
        } finally {
          // This also rolls back what was not committed.
          close();
        }
      }),
  };
}

/** False if another process, such as another restore, has been writing for longer than the wait. */
function beginToWrite(database: DatabaseSync): boolean {
  try {
    migrate(database);
    database.exec('begin immediate');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

function countContents(database: DatabaseSync): Contents {
  const count = (table: keyof Contents): number => {
    const there = database.prepare(`select 1 from sqlite_schema where type = 'table' and name = ?`).get(table);
    return there ? (database.prepare(`select count(*) as count from "${table}"`).get()?.count as number) : 0;
  };
  return { applications: count('applications'), users: count('users'), accounts: count('accounts') };
}
