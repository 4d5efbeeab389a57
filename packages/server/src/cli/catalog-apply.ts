import type { Command } from 'commander';
import { APP_OPTION, type CatalogOptions, FILE_ARGUMENT, readRevision } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { withManagement } from './management.ts';
import { printPublished } from './print-published.ts';
import { readCatalogFile } from './read-input.ts';

export function catalogApply(): Command {
  return defineCommand({
    name: 'apply',
    description: 'make the catalog what the file says, all of it in one revision; what it no longer names is archived',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['catalog apply catalog.yaml --app 123456789_4f2c', 'refuses what would break saved selections'],
      ['catalog apply catalog.yaml --app 123456789_4f2c --allow-breaking', 'after a look at the plan'],
      ['catalog apply catalog.yaml --app 123456789_4f2c --if-revision 7', 'only if nobody changed it since'],
    ],
  })
    .argument(...FILE_ARGUMENT)
    .requiredOption(...APP_OPTION)
    .option('--allow-breaking', 'also changes after which saved selections would not be accepted any more')
    .option('--if-revision <n>', 'only if the catalog is at this revision, the one that plan showed', readRevision)
    .action(run);
}

type ApplyOptions = CatalogOptions & { allowBreaking?: true; ifRevision?: number };

async function run(file: string, options: ApplyOptions): Promise<void> {
  const input = await readCatalogFile(file);
  const published = await withManagement(options, ({ catalog }) =>
    catalog.apply(options.app, input, {
      allowBreaking: options.allowBreaking === true,
      ...(options.ifRevision !== undefined && { ifRevision: options.ifRevision }),
    }),
  );
  printPublished(options, published);
}
