import { type Command, Option } from 'commander';
import { readConfig } from '../config.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { describeDatabase } from './database-files.ts';
import { Failure } from './failure.ts';
import { makeDatabase, refuseLostDatabase } from './new-database.ts';
import { counted, printResult } from './output.ts';
import { Progress } from './terminal.ts';

export function migrate(): Command {
  return defineCommand({
    name: 'migrate',
    description: 'run pending database migrations; `serve` also does this at startup',
    settings: STORAGE_SETTINGS,
    examples: [
      ['migrate', 'run pending migrations; safe while the service runs'],
      ['migrate --check', 'only check; exit code 1 if migrations are pending'],
      ['migrate --check --json', '{"applied","latest","pending","ran"}'],
      ['migrate --distribute', 'PostgreSQL with Citus: spread users over the workers; safe to repeat'],
      ['migrate --distribute --json', '{"workers","homes","moved"}'],
    ],
  })
    .addOption(new Option('--check', 'change nothing; exit code 1 if migrations are pending').conflicts('distribute'))
    .option(
      '--distribute',
      'PostgreSQL with Citus: spread users and their data over the workers, after running pending migrations. Stop the service first',
    )
    .action((options: Options) => (options.distribute ? distribute(options) : run(options)));
}

type Options = CommandOptions & { check?: true; distribute?: true };

async function distribute(options: Options): Promise<void> {
  const config = readConfig(options, { needsSecret: false });
  const { storageDriver } = await import('../storage/open.ts');
  const driver = await storageDriver(config.databaseUrl);
  refuseLostDatabase(config);
  const progress = new Progress(options.json ? { write: () => {} } : process.stderr);
  const distribution = await driver
    .distribute((done, of) => progress.show(done, 'users', of === 0 ? undefined : done / of))
    .finally(() => progress.clear());
  const { workers, homes, moved } = distribution;
  const database = describeDatabase(config.databaseUrl);
  const where = `${counted(homes, 'home')} on ${counted(workers, 'worker')}`;
  printResult(options, distribution, () =>
    moved > 0
      ? `Moved ${counted(moved, 'user')} of ${database} to ${where}.`
      : `Nothing to move: the users of ${database} are in ${where}.`,
  );
}

async function run(options: Options): Promise<void> {
  const config = readConfig(options, { needsSecret: false });
  const database = describeDatabase(config.databaseUrl);
  const { storageDriver } = await import('../storage/open.ts');
  const driver = await storageDriver(config.databaseUrl);
  refuseLostDatabase(config);
  const before = await driver.migrationState();
  if (before.applied > before.latest) {
    throw new Failure(
      `this database was last used by a newer Innkeeper (schema ${before.applied}; this version supports ${before.latest}).`,
      { remedy: 'Run that version or a later one.' },
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
