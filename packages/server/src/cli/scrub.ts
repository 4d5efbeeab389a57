import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import type { ScrubOutcome } from '../storage/port.ts';
import { type CommandOptions, defineCommand } from './command.ts';
import { describeDatabase } from './database-files.ts';
import { Failure } from './failure.ts';
import { bold, printResult, showSize } from './output.ts';
import { Progress } from './terminal.ts';
import { refuseMissingDatabase } from './with-storage.ts';

export function scrub(): Command {
  return defineCommand({
    name: 'scrub',
    description:
      'rewrite the SQLite file to erase all remains of deleted data (VACUUM). ' +
      'Deleted rows are overwritten immediately, but copies in unused parts of pages remain until a scrub. ' +
      'The service can keep running: reads continue; writes wait and get 503 with Retry-After after 5 seconds. ' +
      'Requires free space of twice the file size. ' +
      'An interrupted scrub changes nothing. INNKEEPER_SCRUB=7d runs it every week in the service',
    settings: ['databaseUrl'],
    examples: [
      ['scrub', 'run now, at a quiet hour'],
      ['scrub --json', '{"bytesBefore","bytesAfter","logEmptied","seconds"}'],
      ['serve --scrub 7d', 'run every week in the service'],
    ],
  }).action(run);
}

async function run(options: CommandOptions): Promise<void> {
  const config = readConfig(options, { needsSecret: false });
  const { databaseUrl } = config;
  refuseMissingDatabase(config);
  const { storageDriver } = await import('../storage/open.ts');
  const driver = await storageDriver(databaseUrl);
  if (!driver.scrub) {
    throw new Failure('PostgreSQL needs no scrub: autovacuum cleans up.', {
      remedy:
        'To rewrite tables now, run VACUUM FULL in psql at a quiet hour. The write-ahead log and backups keep older data as configured.',
    });
  }
  const state = await driver.migrationState();
  if (state.applied !== state.latest) {
    throw new Failure(`${describeDatabase(databaseUrl)} is not a database of this version.`, {
      remedy: 'Check INNKEEPER_DATABASE_URL; `innkeeper migrate` brings an older one up to date.',
    });
  }
  const progress = new Progress(options.json ? { write: () => {} } : process.stderr);
  const started = performance.now();
  const outcome = await driver
    .scrub({
      now: Date.now(),
      onProgress(written, whole) {
        const megabytes = Math.round(written / 1e6);
        if (written === 0) progress.show(0, 'MB written', undefined, 'copying rows');
        else progress.show(megabytes, 'MB written', written / whole);
      },
    })
    .finally(() => progress.clear());
  if (outcome.outcome !== 'scrubbed') throw notScrubbed(outcome, databaseUrl);
  const { bytesBefore, bytesAfter, logEmptied } = outcome;
  const seconds = Number(((performance.now() - started) / 1000).toFixed(3));
  printResult(options, { bytesBefore, bytesAfter, logEmptied, seconds }, () => {
    const done = `${bold(describeDatabase(databaseUrl))}: rewritten in ${seconds.toFixed(1)} s, ${showSize(bytesBefore)} before, ${showSize(bytesAfter)} now.`;
    const log = logEmptied
      ? 'No deleted data is left in its files. Backups keep it until you delete them.'
      : 'An export or a backup is still reading; the log keeps older data until it has finished.';
    return `${done}\n${log}`;
  });
}

function notScrubbed(outcome: Exclude<ScrubOutcome, { outcome: 'scrubbed' }>, databaseUrl: string): Failure {
  if (outcome.outcome === 'no-space') {
    const { neededBytes, freeBytes, folder } = outcome;
    const size = statSync(databaseUrl.slice('sqlite:'.length)).size;
    return new Failure(
      `nothing was changed: a scrub of ${showSize(size)} needs ${showSize(neededBytes)} of free space, and ${folder} has ${showSize(freeBytes)}.`,
      { remedy: 'Free up disk space, then try again.' },
    );
  }
  return new Failure(`nothing was changed: ${describeDatabase(databaseUrl)} is in use by another long write.`, {
    remedy: 'Wait for the other command (import, restore or scrub) to finish, then try again.',
  });
}
