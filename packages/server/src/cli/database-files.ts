import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { relative } from 'node:path';
import { behindLinks } from '../file-names.ts';
import { UsageError } from './failure.ts';

/** The database, without the password that its URL may contain. */
export function describeDatabase(databaseUrl: string): string {
  if (databaseUrl.startsWith('sqlite:')) {
    const path = databaseUrl.slice('sqlite:'.length);
    const fromHere = relative(process.cwd(), path);
    return `SQLite at ${fromHere.startsWith('..') ? path : fromHere}`;
  }
  const url = URL.parse(databaseUrl);
  return url?.hostname ? `PostgreSQL at ${url.host}${url.pathname}` : 'PostgreSQL';
}

const HEADER = Buffer.from('SQLite format 3\0');
const COMPANION = /(-wal|-shm|-journal|\.secret|\.secret\.previous)$/;

/** A mistyped output file must not cost the database: neither its file nor the files next to it are overwritten. */
export function refuseDatabaseFile(label: string, path: string): void {
  if (!isDatabase(path) && !isCompanion(path)) return;
  throw new UsageError(`${label} belongs to a database and is not replaced.`, { remedy: 'Choose another name.' });
}

/** Whether a path is the log or the secret of a database; the file need not exist. */
export function isCompanion(path: string): boolean {
  const file = followed(path);
  return COMPANION.test(file) && isDatabase(file.replace(COMPANION, ''));
}

function isDatabase(path: string): boolean {
  try {
    // Reading a pipe would block.
    if (!statSync(path).isFile()) return false;
    const file = openSync(path, 'r');
    try {
      const start = Buffer.alloc(HEADER.length);
      readSync(file, start);
      return start.equals(HEADER);
    } finally {
      closeSync(file);
    }
  } catch {
    return false; // writing to it will report the problem
  }
}

function followed(path: string): string {
  try {
    return behindLinks(path);
  } catch {
    return path;
  }
}
