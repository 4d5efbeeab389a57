import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { describeDatabase } from './describe-database.ts';
import { Failure } from './failure.ts';
import { makeDatabase, refuseLostDatabase } from './new-database.ts';
import { printResult } from './print.ts';
import { counted } from './time.ts';

export function migrate(): Command {
  return defineCommand({
    name: 'migrate',
    description: 'run pending database migrations; `serve` also does this at startup',
    settings: STORAGE_SETTINGS,
    examples: [
      ['migrate', 'run pending migrations; safe while servers run'],
      ['migrate --check', 'only check; exit code 1 if migrations are pending'],
      ['migrate --check --json', '{"applied","latest","pending","ran"}'],
    ],
  })
    .option('--check', 'change nothing; exit code 1 if migrations are pending')
    .action(run);
}

async function run(options: CommandOptions & { check?: true }): Promise<void> {
  const config = readConfig(options, { needsSecret: false });
  const database = describeDatabase(config.databaseUrl);
  const { storageDriver } = await import('../storage/open.ts');
  const driver = await storageDriver(config.databaseUrl);
  refuseLostDatabase(config);
  const before = await driver.migrationState();
  if (before.applied > before.latest) {
    throw new Failure(
      `this database was last used by a newer Innkeeper (schema ${before.applied}; this version supports ${before.latest}).`,
      { wayOut: 'Run that version or a later one.' },
    );
  }
  if (!options.check) await makeDatabase(config);
  const after = options.check ? before : await driver.migrate();
  const pending = after.latest - after.applied;
  const ran = after.applied - before.applied;
  printResult(options, { applied: after.applied, latest: after.latest, pending, ran }, () => {
    if (pending > 0) return `${counted(pending, 'migration')} pending in ${database}. Run: innkeeper migrate`;
    if (ran > 0) return `Ran ${counted(ran, 'migration')} in ${database}: it is up to date.`;
    return `Nothing to do: ${database} is up to date.`;
  });
  if (pending > 0) process.exitCode = 1;
}
