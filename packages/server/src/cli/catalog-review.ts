import { styleText } from 'node:util';
import type { Command } from 'commander';
import { APP_OPTION, type CatalogOptions } from './catalog-options.ts';
import { defineCommand, STORAGE_SETTINGS } from './command.ts';
import { Failure } from './failure.ts';
import { withManagement } from './management.ts';
import { printResult } from './print.ts';
import { readInput } from './read-input.ts';
import { visible } from './table.ts';
import { counted } from './time.ts';

export function catalogReview(): Command {
  return defineCommand({
    name: 'review',
    description:
      'mark the translations in a CSV or XLIFF 2 file as reviewed; texts that changed since the export are left out',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['catalog review de.xlf --app 123456789_4f2c', 'after you have reviewed a file from `catalog export`'],
      ['catalog review de.xlf --app 123456789_4f2c --withdraw', 'mark them as not reviewed again'],
      ['catalog review de.csv --app 123456789_4f2c --json', '{"count","changed":[{"path","language"}]}'],
    ],
  })
    .argument('<FILE>', 'CSV or XLIFF 2; - reads from stdin')
    .requiredOption(...APP_OPTION)
    .option('--withdraw', 'mark them as not reviewed')
    .action(run);
}

async function run(name: string, options: CatalogOptions & { withdraw?: true }): Promise<void> {
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
