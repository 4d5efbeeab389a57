import type { Command } from 'commander';
import { APP_OPTION, type CatalogOptions } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { withManagement } from './management.ts';
import { bold, counted, printResult, visible } from './output.ts';
import { Progress } from './terminal.ts';

const EXAMPLE = 'catalog migrate --app 123456789_4f2c --key ads.topics --from cars --to vehicles';

export function catalogMigrate(): Command {
  return defineCommand({
    name: 'migrate',
    description: 'replace a value in the selections of all users, in small batches, while the service runs',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      [`${EXAMPLE} --dry-run`, 'only count the selections'],
      [EXAMPLE, 'change them; if interrupted, run it again to continue'],
      [`${EXAMPLE} --json`, '{"key","from","to","planned","migrated","remaining"}'],
    ],
  })
    .requiredOption(...APP_OPTION)
    .requiredOption('--key <GROUP.KEY>', 'the option key, or its UID')
    .requiredOption('--from <VALUE>', 'the value to replace; it may be retired, or no longer in the catalog')
    .requiredOption('--to <VALUE>', 'an allowed value of the key')
    .option('--dry-run', 'only count the selections')
    .action(run);
}

type MigrateOptions = CatalogOptions & { key: string; from: string; to: string; dryRun?: true };

async function run(options: MigrateOptions): Promise<void> {
  const { app, key, from, to, dryRun = false } = options;
  const progress = new Progress(options.json ? { write: () => {} } : process.stderr);
  const onProgress = (migrated: number, planned: number) =>
    progress.show(migrated, 'selections', Math.min(1, migrated / Math.max(1, planned)));
  const result = await withManagement(options, ({ catalog }) =>
    catalog.migrate(app, { key, from, to, dryRun }, onProgress),
  ).finally(() => progress.clear());
  const { planned, migrated, remaining } = result;
  printResult(options, result, () => {
    const what = visible(`${result.key}: ${result.from} → ${result.to}`);
    if (dryRun) return `${bold(what)} would change ${counted(planned, 'selection')}.`;
    const left = remaining > 0 ? ` ${counted(remaining, 'selection')} still hold the old value: run it again.` : '';
    return `${bold(what)}: changed ${counted(migrated, 'selection')}.${left}`;
  });
  if (!dryRun && remaining > 0) process.exitCode = 1;
}
