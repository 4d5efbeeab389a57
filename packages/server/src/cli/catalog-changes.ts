import type { Command } from 'commander';
import { APP_OPTION, type CatalogOptions, FILE_ARGUMENT, NOTE_OPTION, readWholeNumber } from './catalog-options.ts';
import { defineManagementCommand } from './command.ts';
import { explainError } from './explain-error.ts';
import { Failure, UsageError } from './failure.ts';
import { bold, counted, printResult, visible } from './output.ts';
import { readCatalogFile } from './read-input.ts';
import { printPublished, showMissing, showPlan } from './show-changes.ts';
import { Progress } from './terminal.ts';
import { withManagement } from './with-management.ts';

const ENDINGS = `
${bold('Exit codes:')} 0 no changes, 1 error, 2 changes, 3 breaking changes.`;

export function catalogPlan(): Command {
  return defineManagementCommand({
    name: 'plan',
    description: 'show what a catalog file would change and how many saved selections it affects',
    examples: [
      ['catalog plan catalog.yaml --app 123456789_4f2c', 'print the differences'],
      ['catalog plan - --app 123456789_4f2c < catalog.json', 'read from stdin'],
      ['catalog plan catalog.yaml --app 123456789_4f2c --json', '{"changes","breaking","notes","missing","revision"}'],
    ],
    misuseFails: true,
  })
    .argument(...FILE_ARGUMENT)
    .requiredOption(...APP_OPTION)
    .addHelpText('after', ENDINGS)
    .action(runPlan);
}

async function runPlan(file: string, options: CatalogOptions): Promise<void> {
  try {
    await plan(file, options);
  } catch (error) {
    const failure = explainError(error);
    if (!(failure instanceof UsageError)) throw error;
    const { message, remedy, problems } = failure;
    throw new Failure(message, { problems, ...(remedy !== undefined && { remedy }) });
  }
}

async function plan(file: string, options: CatalogOptions): Promise<void> {
  const input = await readCatalogFile(file);
  const { name, planned } = await withManagement(options, async ({ applications, catalog }) => {
    const planned = await catalog.plan(options.app, input);
    // JSON output does not include the name.
    return { name: options.json ? '' : (await applications.show(options.app)).name, planned };
  });
  const { changes, breaking, notes, missing, revision } = planned;
  printResult(options, { changes, breaking, notes, missing, revision }, () => {
    if (changes.length === 0) {
      const untranslated = showMissing(missing);
      return `No changes: the catalog of ${bold(visible(name))} matches the file (revision ${revision}).${
        untranslated && `\n\n${untranslated}`
      }`;
    }
    return `Plan for ${bold(visible(name))} (revision ${revision}):\n\n${showPlan({ changes, breaking, missing, notes })}`;
  });
  process.exitCode = breaking.length > 0 ? 3 : changes.length > 0 ? 2 : 0;
}

export function catalogApply(): Command {
  return defineManagementCommand({
    name: 'apply',
    description: 'publish a catalog file as one revision; groups and keys missing from it are archived',
    examples: [
      ['catalog apply catalog.yaml --app 123456789_4f2c', 'rejects breaking changes'],
      ['catalog apply catalog.yaml --app 123456789_4f2c --allow-breaking', 'after reviewing the plan'],
      ['catalog apply catalog.yaml --app 123456789_4f2c --if-revision 7', 'only if revision 7 is current'],
      ['catalog apply catalog.yaml --app 123456789_4f2c --note "New colours for spring"', 'with a note'],
    ],
  })
    .argument(...FILE_ARGUMENT)
    .requiredOption(...APP_OPTION)
    .option('--allow-breaking', 'allow changes that invalidate saved selections')
    .option('--if-revision <n>', 'publish only if this revision is current, as printed by plan', readWholeNumber)
    .option(...NOTE_OPTION)
    .action(runApply);
}

type ApplyOptions = CatalogOptions & { allowBreaking?: true; ifRevision?: number; note?: string };

async function runApply(file: string, options: ApplyOptions): Promise<void> {
  const input = await readCatalogFile(file);
  const published = await withManagement(options, ({ catalog }) =>
    catalog.apply(options.app, input, {
      allowBreaking: options.allowBreaking === true,
      ...(options.ifRevision !== undefined && { ifRevision: options.ifRevision }),
      ...(options.note && { note: options.note }),
    }),
  );
  printPublished(options, published);
}

const EXAMPLE = 'catalog migrate --app 123456789_4f2c --key ads.topics --from cars --to vehicles';

export function catalogMigrate(): Command {
  return defineManagementCommand({
    name: 'migrate',
    description: 'replace a value in the selections of all users, in small batches, while the service runs',
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
    const left = remaining > 0 ? ` ${counted(remaining, 'selection')} left with the old value: run it again.` : '';
    return `${bold(what)}: changed ${counted(migrated, 'selection')}.${left}`;
  });
  if (!dryRun && remaining > 0) process.exitCode = 1;
}
