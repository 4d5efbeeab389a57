import type { Command } from 'commander';
import { APP_OPTION, type CatalogOptions, FILE_ARGUMENT, NOTE_OPTION, readRevision } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { withManagement } from './management.ts';
import { printPublished } from './print-published.ts';
import { readCatalogFile } from './read-input.ts';

export function catalogApply(): Command {
  return defineCommand({
    name: 'apply',
    description: 'publish a catalog file as one revision; groups and keys missing from it are archived',
    settings: STORAGE_SETTINGS,
    remote: true,
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
    .option('--if-revision <n>', 'publish only if this revision is current, as printed by plan', readRevision)
    .option(...NOTE_OPTION)
    .action(run);
}

type ApplyOptions = CatalogOptions & { allowBreaking?: true; ifRevision?: number; note?: string };

async function run(file: string, options: ApplyOptions): Promise<void> {
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
