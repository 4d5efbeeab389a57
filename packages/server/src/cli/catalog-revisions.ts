import type { Command } from 'commander';
import type { ReadableChange } from '../domain/catalog/publish.ts';
import { APP_OPTION, type CatalogOptions, NOTE_OPTION, readWholeNumber } from './catalog-options.ts';
import { defineManagementCommand } from './command.ts';
import { dim, layOut, printResult, visible } from './output.ts';
import { printPublished, showChanges, showSummary } from './show-changes.ts';
import { withManagement } from './with-management.ts';

type RevisionsOptions = CatalogOptions & { limit: number; offset: number };

export function catalogRevisions(): Command {
  return defineManagementCommand({
    name: 'revisions',
    description: 'list revisions, newest first',
    examples: [
      ['catalog revisions --app 123456789_4f2c', 'print the latest 20'],
      [
        'catalog revisions --app 123456789_4f2c --json',
        '{"total","items":[{"revision","createdAt","author","authors","note"?,"changes"}]}',
      ],
    ],
  })
    .requiredOption(...APP_OPTION)
    .option('--limit <n>', 'number of revisions', readWholeNumber, 20)
    .option('--offset <n>', 'number of newer revisions to skip', readWholeNumber, 0)
    .action(runRevisions);
}

async function runRevisions(options: RevisionsOptions): Promise<void> {
  const { offset, limit } = options;
  const { total, items: rows } = await withManagement(options, ({ catalog }) =>
    catalog.revisions(options.app, { offset, limit }),
  );
  printResult(options, { total, items: rows }, () => {
    if (total === 0) return 'No revisions yet.\nPublish one with: innkeeper catalog apply FILE --app ID';
    const head = ['REVISION', 'PUBLISHED (UTC)', 'BY', 'SUMMARY'].map(dim);
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

export function catalogDiff(): Command {
  return defineManagementCommand({
    name: 'diff',
    description: 'show the differences between two revisions',
    examples: [
      ['catalog diff 7 9 --app 123456789_4f2c', 'from 7 to 9'],
      ['catalog diff 7 --app 123456789_4f2c', 'from 7 to the latest'],
    ],
  })
    .argument('<FROM>', 'a revision; 0 is the empty catalog', readWholeNumber)
    .argument('[TO]', 'a revision (default: the latest)', readWholeNumber)
    .requiredOption(...APP_OPTION)
    .action(runDiff);
}

async function runDiff(from: number, to: number | undefined, options: CatalogOptions): Promise<void> {
  const { to: newest, changes } = await withManagement(options, ({ catalog }) =>
    catalog.compare(options.app, from, to),
  );
  printResult(options, { from, to: newest, changes }, () =>
    changes.length === 0
      ? `Revisions ${from} and ${newest} are identical.`
      : `${showChanges(changes)}\n\n${showSummary(changes)}`,
  );
}

export function catalogRestore(): Command {
  return defineManagementCommand({
    name: 'restore',
    description: 'publish an earlier revision again, as a new revision',
    examples: [
      ['catalog restore 7 --app 123456789_4f2c', 'back to 7; later revisions are kept'],
      ['catalog diff 7 --app 123456789_4f2c', 'review the changes since then first'],
    ],
  })
    .argument('<REVISION>', 'revision number', readWholeNumber)
    .requiredOption(...APP_OPTION)
    .option('--allow-breaking', 'allow changes that invalidate saved selections')
    .option(...NOTE_OPTION)
    .action(runRestore);
}

type RestoreOptions = CatalogOptions & { allowBreaking?: true; note?: string };

async function runRestore(revision: number, options: RestoreOptions): Promise<void> {
  const published = await withManagement(options, ({ catalog }) =>
    catalog.restore(options.app, revision, {
      allowBreaking: options.allowBreaking === true,
      ...(options.note && { note: options.note }),
    }),
  );
  printPublished(options, published);
}
