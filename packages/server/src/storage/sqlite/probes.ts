import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseRoom } from '../port.ts';
import { connectToWrite } from './connection.ts';

/** The value must be new: SQLite would not write an existing one again. */
export function tryWrite(path: string, value: string): void {
  const connection = connectToWrite(path);
  try {
    connection
      .statement(
        `insert into facts (name, value) values ('doctor', ?)
         on conflict (name) do update set value = excluded.value`,
      )
      .run(value);
  } finally {
    connection.close();
  }
}

export function diskRoom(path: string): DatabaseRoom {
  const { bavail, bsize } = statfsSync(dirname(path));
  return { kind: 'disk', free: bavail * bsize, size: statSync(path).size };
}
