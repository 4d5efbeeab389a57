import type { Command } from 'commander';
import { APP_OPTION, type CatalogOptions, NOTE_OPTION, readRevision } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { withManagement } from './management.ts';
import { printPublished } from './print-published.ts';

export function catalogRestore(): Command {
  return defineCommand({
    name: 'restore',
    description: 'publish an earlier revision again, as a new revision',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['catalog restore 7 --app 123456789_4f2c', 'back to 7; later revisions are kept'],
      ['catalog diff 7 --app 123456789_4f2c', 'review the changes since then first'],
    ],
  })
    .argument('<REVISION>', 'revision number', readRevision)
    .requiredOption(...APP_OPTION)
    .option('--allow-breaking', 'allow changes that invalidate saved selections')
    .option(...NOTE_OPTION)
    .action(run);
}

type RestoreOptions = CatalogOptions & { allowBreaking?: true; note?: string };

async function run(revision: number, options: RestoreOptions): Promise<void> {
  const published = await withManagement(options, ({ catalog }) =>
    catalog.restore(options.app, revision, {
      allowBreaking: options.allowBreaking === true,
      ...(options.note && { note: options.note }),
    }),
  );
  printPublished(options, published);
}
