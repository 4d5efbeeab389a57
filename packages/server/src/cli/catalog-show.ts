import type { Command } from 'commander';
import { APP_OPTION, type CatalogOptions, readRevision } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { withManagement } from './management.ts';
import { bold, printResult } from './print.ts';
import { showChanges } from './show-changes.ts';
import { visible } from './table.ts';

export function catalogShow(): Command {
  return defineCommand({
    name: 'show',
    description: 'show who published a revision, when, and what it changed',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['catalog show 7 --app 123456789_4f2c', 'the changes; `catalog export --revision 7` prints the full catalog'],
      ['catalog show 7 --app 123456789_4f2c --json', '{"revision","createdAt","author","authors","note"?,"changes"}'],
    ],
  })
    .argument('<REVISION>', 'revision number', readRevision)
    .requiredOption(...APP_OPTION)
    .action(run);
}

async function run(wanted: number, options: CatalogOptions): Promise<void> {
  const record = await withManagement(options, ({ catalog }) => catalog.revision(options.app, wanted));
  const { revision, createdAt, author, authors, note, changes } = record;
  const why = note === undefined ? '' : `\n${visible(note)}\n`;
  printResult(
    options,
    { revision, createdAt, author, authors, ...(note !== undefined && { note }), changes },
    () =>
      `${bold(`Revision ${revision}`)}, ${createdAt} UTC, by ${visible([...new Set([...authors, author])].join(', '))}\n${why}\n${showChanges(changes)}`,
  );
}
