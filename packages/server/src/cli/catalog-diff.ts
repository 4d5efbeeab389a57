import type { Command } from 'commander';
import { APP_OPTION, type CatalogOptions, readRevision } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { withManagement } from './management.ts';
import { printResult } from './print.ts';
import { showChanges, showSummary } from './show-changes.ts';

export function catalogDiff(): Command {
  return defineCommand({
    name: 'diff',
    description: 'show the differences between two revisions',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['catalog diff 7 9 --app 123456789_4f2c', 'from 7 to 9'],
      ['catalog diff 7 --app 123456789_4f2c', 'from 7 to the latest'],
    ],
  })
    .argument('<FROM>', 'a revision; 0 is the empty catalog', readRevision)
    .argument('[TO]', 'a revision (default: the latest)', readRevision)
    .requiredOption(...APP_OPTION)
    .action(run);
}

async function run(from: number, to: number | undefined, options: CatalogOptions): Promise<void> {
  const { to: newest, changes } = await withManagement(options, ({ catalog }) =>
    catalog.compare(options.app, from, to),
  );
  printResult(options, { from, to: newest, changes }, () =>
    changes.length === 0
      ? `Revisions ${from} and ${newest} are identical.`
      : `${showChanges(changes)}\n\n${showSummary(changes)}`,
  );
}
