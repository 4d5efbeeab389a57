import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DatabaseCapacity, DataCheck, DataCheckOptions } from '../port.ts';
import { connectToRead, connectToWrite } from './connection.ts';
import { namingFile } from './errors.ts';
import { checkSteps, factActs, readFileCheck, runChecks } from './file-check.ts';
import { migrate } from './migrations.ts';
import { bytesForScrub } from './scrub.ts';

/**
 * Only reads, so it is safe next to a running service. If damage was found before, everything is checked: a clean
 * result clears it.
 */
export function checkData(path: string, { deep: wanted, onStep }: DataCheckOptions): DataCheck {
  return namingFile(path, () => {
    const connection = connectToRead(path);
    try {
      const startedAt = Date.now();
      const wasDamaged = (readFileCheck(connection)?.findings.length ?? 0) > 0;
      const deep = wanted || wasDamaged;
      const missing = compareSchema(connection.database);
      // The checks may need what is missing.
      if (missing.length > 0) return { checked: 'tables', findings: missing };
      const steps = checkSteps(connection.database, { deep });
      const findings = runChecks(steps, (what, done) => onStep(what, done, steps.length));
      if (wasDamaged && findings.length === 0) recordCheck(path, findings, startedAt);
      return { checked: `tables, pages, references${deep ? ', indexes' : ''}, users and profiles`, findings };
    } finally {
      connection.close();
    }
  });
}

/** Services look at it every minute, check for themselves and stop writing, or resume (damage-watch.ts). */
export function recordCheck(path: string, findings: string[], startedAt = Date.now()): void {
  try {
    const connection = connectToWrite(path);
    try {
      factActs(connection).recordFileCheck({ startedAt, finishedAt: Date.now(), findings });
    } finally {
      connection.close();
    }
  } catch {
    // The damage is where this would be written, or another process is writing: the finding is reported here anyway.
  }
}

/** What a new database has that this one lacks or has differently. */
function compareSchema(database: DatabaseSync): string[] {
  using fresh = new DatabaseSync(':memory:');
  migrate(fresh);
  const there = partsOf(database);
  return [...partsOf(fresh)].flatMap(([part, sql]) => {
    if (!there.has(part)) return [`${part} is missing`];
    return there.get(part) === sql ? [] : [`${part} differs from what Innkeeper creates`];
  });
}

function partsOf(database: DatabaseSync): Map<string, unknown> {
  const parts = database.prepare(
    `select type, name, sql from sqlite_schema where name not like 'sqlite~_%' escape '~'`,
  );
  return new Map(parts.all().map(({ type, name, sql }) => [`${type} ${name}`, sql]));
}

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

export function diskCapacity(path: string): DatabaseCapacity {
  const { bavail, bsize } = statfsSync(dirname(path));
  const { size } = statSync(path);
  return { kind: 'disk', free: bavail * bsize, size, forScrub: bytesForScrub(size) };
}
