import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import type { ScrubOutcome } from '../storage/port.ts';
import { type CommandOptions, defineCommand } from './command.ts';
import { describeDatabase } from './describe-database.ts';
import { Failure } from './failure.ts';
import { bold, printResult } from './print.ts';
import { Progress } from './progress.ts';
import { showSize } from './time.ts';
import { refuseMissingDatabase } from './with-storage.ts';

export function scrub(): Command {
  return defineCommand({
    name: 'scrub',
    description:
      'rewrite the SQLite file so that nothing of what was deleted is left in its bytes (SQLite: VACUUM). ' +
      'Deleted rows are overwritten at once, but copies that SQLite leaves in unused parts of pages stay until a scrub. ' +
      'The service may run: reads go on, writes wait, and after 5 seconds they are answered 503 with Retry-After. ' +
      'One million users (450 MB) take about ten seconds on two cores. It needs free space of twice the size of the file. ' +
      'Interrupted, it leaves everything as it was. INNKEEPER_SCRUB=7d lets the service do it every week',
    settings: ['databaseUrl'],
    examples: [
      ['scrub', 'now; best at a quiet hour'],
      ['scrub --json', '{"bytesBefore","bytesAfter","logEmptied","seconds"}'],
      ['serve --scrub 7d', 'every week, by whichever process finds it due'],
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
    throw new Failure('PostgreSQL needs no scrub: it cleans up by itself (autovacuum).', {
      wayOut:
        'To rewrite its tables at once: VACUUM FULL in psql, at a quiet hour; its write-ahead log and backups keep older data as long as they are configured to.',
    });
  }
  const state = await driver.migrationState();
  if (state.applied !== state.latest) {
    throw new Failure(`${describeDatabase(databaseUrl)} is not a database of this version.`, {
      wayOut: 'Check INNKEEPER_DATABASE_URL; `innkeeper migrate` brings an older one up to date.',
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
      ? 'Nothing of what was deleted is left in its files. Backups keep it until you delete them.'
      : 'A reader, an export or a backup, still needs the log, which keeps older data until that has ended.';
    return `${done}\n${log}`;
  });
}

function notScrubbed(outcome: Exclude<ScrubOutcome, { outcome: 'scrubbed' }>, databaseUrl: string): Failure {
  if (outcome.outcome === 'no-space') {
    const { neededBytes, freeBytes, folder } = outcome;
    const size = statSync(databaseUrl.slice('sqlite:'.length)).size;
    return new Failure(
      `nothing was changed: a scrub of ${showSize(size)} needs ${showSize(neededBytes)} of free space, and ${folder} has ${showSize(freeBytes)}.`,
      { wayOut: 'Free some space there, then try again.' },
    );
  }
  return new Failure(`nothing was changed: ${describeDatabase(databaseUrl)} is in use by another long write.`, {
    wayOut: 'Wait for the other command (an import, a restore, another scrub), then try again.',
  });
}
