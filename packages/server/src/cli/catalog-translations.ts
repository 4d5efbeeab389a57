import { styleText } from 'node:util';
import { type Command, Option } from 'commander';
import type { OutdatedText, TextConflict } from '../domain/catalog/merge-texts.ts';
import { APP_OPTION, type CatalogOptions, NOTE_OPTION } from './catalog-options.ts';
import { defineManagementCommand } from './command.ts';
import { Failure } from './failure.ts';
import type { ImportedTexts } from './management.ts';
import { counted, printResult, visible } from './output.ts';
import { readInput } from './read-input.ts';
import { printPublished } from './show-changes.ts';
import { withManagement } from './with-management.ts';

type ImportOptions = CatalogOptions & { prefer?: 'file' | 'catalog'; note?: string };

export function catalogImportTranslations(): Command {
  return defineManagementCommand({
    name: 'import-translations',
    description: 'import texts from a CSV or XLIFF 2 file as one revision, all or nothing',
    examples: [
      ['catalog import-translations de.xlf --app 123456789_4f2c', 'a translated file from `catalog export`'],
      [
        'catalog import-translations texts.csv --app 123456789_4f2c --prefer catalog',
        'on conflict, keep the text of the catalog',
      ],
    ],
  })
    .argument('<FILE>', 'CSV or XLIFF 2; - reads from stdin')
    .requiredOption(...APP_OPTION)
    .addOption(
      new Option('--prefer <which>', 'which text wins if both changed since the export').choices(['file', 'catalog']),
    )
    .option(...NOTE_OPTION)
    .action(runImportTranslations);
}

async function runImportTranslations(name: string, options: ImportOptions): Promise<void> {
  const input = await readInput(name);
  const { prefer, note } = options;
  const outcome = await withManagement(options, ({ catalog }) =>
    catalog.importTexts(options.app, input, { ...(prefer && { prefer }), ...(note && { note }) }),
  );
  if (outcome.outcome === 'refused') throw refusal(input.name, outcome);
  const { outdated } = outcome;
  printPublished(options, outcome, { outdated });
  if (outdated.length > 0 && !options.json) process.stderr.write(`\n${showOutdated(input.name, outdated)}\n`);
}

function refusal(name: string, { problems, conflicts }: Extract<ImportedTexts, { outcome: 'refused' }>): Failure {
  if (problems.length > 0) {
    const message = `${visible(name)} is invalid: ${counted(problems.length, 'problem')}.`;
    return new Failure(message, { problems: problems.map(visible) });
  }
  return new Failure(
    `nothing was changed: ${counted(conflicts.length, 'text')} changed in the catalog since the export.`,
    {
      problems: conflicts.map((conflict) => showConflict(name, conflict)),
      remedy: 'Add --prefer file to import them, or --prefer catalog to keep the catalog.',
    },
  );
}

function showConflict(name: string, { path, language, line, inFile, inCatalog }: TextConflict): string {
  const held = inCatalog === null ? 'none' : JSON.stringify(inCatalog);
  return visible(`${name}:${line} ${path} in ${language}: the file has ${JSON.stringify(inFile)}, the catalog ${held}`);
}

function showOutdated(name: string, outdated: readonly OutdatedText[]): string {
  const mark = styleText('yellow', '!', { stream: process.stderr });
  const lines = outdated.map(({ path, language, line, was, is }) =>
    visible(
      `${name}:${line} ${path} in ${language}: translated from ${JSON.stringify(was)}, now ${JSON.stringify(is)}`,
    ),
  );
  return [`${mark} Review ${counted(outdated.length, 'text')}; the source changed since the export:`, ...lines].join(
    '\n  ',
  );
}

export function catalogReview(): Command {
  return defineManagementCommand({
    name: 'review',
    description:
      'mark the translations in a CSV or XLIFF 2 file as reviewed; texts that changed since the export are left out',
    examples: [
      ['catalog review de.xlf --app 123456789_4f2c', 'after you have reviewed a file from `catalog export`'],
      ['catalog review de.xlf --app 123456789_4f2c --withdraw', 'mark them as not reviewed again'],
      ['catalog review de.csv --app 123456789_4f2c --json', '{"count","changed":[{"path","language"}]}'],
    ],
  })
    .argument('<FILE>', 'CSV or XLIFF 2; - reads from stdin')
    .requiredOption(...APP_OPTION)
    .option('--withdraw', 'mark them as not reviewed')
    .action(runReview);
}

async function runReview(name: string, options: CatalogOptions & { withdraw?: true }): Promise<void> {
  const input = await readInput(name);
  const isReviewed = options.withdraw !== true;
  const outcome = await withManagement(options, ({ catalog }) => catalog.review(options.app, input, isReviewed));
  if (outcome.outcome === 'refused') {
    const message = `${visible(input.name)} is invalid: ${counted(outcome.problems.length, 'problem')}.`;
    throw new Failure(message, { problems: outcome.problems.map(visible) });
  }
  const { count, changed } = outcome;
  printResult(options, { count, changed }, () =>
    isReviewed ? `Marked ${counted(count, 'text')} as reviewed.` : `Marked ${counted(count, 'text')} as not reviewed.`,
  );
  if (changed.length === 0 || options.json) return;
  const mark = styleText('yellow', '!', { stream: process.stderr });
  const lines = changed.map(({ path, language }) => visible(`${path} in ${language}`));
  const head = `${mark} ${counted(changed.length, 'text')} left out; changed since the export:`;
  process.stderr.write(`\n${[head, ...lines].join('\n  ')}\n`);
}
