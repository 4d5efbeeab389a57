import type { Command } from 'commander';
import type { ReadableChange } from '../domain/catalog/publish.ts';
import { APP_OPTION, type CatalogOptions, readRevision } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { withManagement } from './management.ts';
import { dim, printResult } from './print.ts';
import { layOut, visible } from './table.ts';

type RevisionsOptions = CatalogOptions & { limit: number; offset: number };

export function catalogRevisions(): Command {
  return defineCommand({
    name: 'revisions',
    description: 'list revisions, newest first',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['catalog revisions --app 123456789_4f2c', 'print the latest 20'],
      [
        'catalog revisions --app 123456789_4f2c --json',
        '{"total","items":[{"revision","createdAt","author","authors","note"?,"changes"}]}',
      ],
    ],
  })
    .requiredOption(...APP_OPTION)
    .option('--limit <n>', 'number of revisions', readRevision, 20)
    .option('--offset <n>', 'number of newer revisions to skip', readRevision, 0)
    .action(run);
}

async function run(options: RevisionsOptions): Promise<void> {
  const { offset, limit } = options;
  const { total, items: rows } = await withManagement(options, ({ catalog }) =>
    catalog.revisions(options.app, { offset, limit }),
  );
  printResult(options, { total, items: rows }, () => {
    if (total === 0) return 'No revisions yet.\nPublish one with: innkeeper catalog apply FILE --app ID';
    const head = ['REVISION', 'PUBLISHED (UTC)', 'BY', 'WHAT'].map(dim);
    const lines = rows.map((row) => [
      String(row.revision),
      row.createdAt,
      visible(row.author),
      row.note === undefined ? summary(row.changes) : visible(row.note),
    ]);
    const more = total - options.offset - rows.length;
    return layOut([head, ...lines]) + (more > 0 ? `\n${dim(`${more} older`)}` : '');
  });
}

const SHOWN = 3;

function summary(changes: readonly ReadableChange[]): string {
  const first = changes.slice(0, SHOWN).map(({ kind, path }) => `${visible(path)} ${kind}`);
  const more = changes.length - SHOWN;
  return first.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
