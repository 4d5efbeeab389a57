import type { Command } from 'commander';
import { displayNameProblem } from '../domain/required.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { UsageError } from './failure.ts';
import { withManagement } from './management.ts';
import { bold, printResult } from './print.ts';
import { layOut, visible } from './table.ts';

export function appCreate(): Command {
  return defineCommand({
    name: 'create',
    description: 'create an application and print its credentials once',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['app create --name "Acme web"', 'print the clientId and clientSecret'],
      ['app create --name "Acme web" --json > acme.json', 'save {"clientId","clientSecret","name"} to a file'],
    ],
  })
    .requiredOption('--name <name>', 'display name, 1 to 255 characters')
    .action(run);
}

async function run(options: CommandOptions & { name: string }): Promise<void> {
  const problem = displayNameProblem(options.name);
  if (problem) throw new UsageError(`--name ${problem}.`, { wayOut: 'Use 1 to 255 characters.' });

  const made = await withManagement(options, ({ applications }) => applications.create(options.name), {
    makesDatabase: true,
  });
  printResult(options, made, () =>
    [
      `Created the application ${bold(visible(made.name))}.`,
      '',
      layOut(
        [
          ['clientId', bold(made.clientId)],
          ['clientSecret', bold(made.clientSecret)],
        ],
        { indent: 2 },
      ),
      '',
      'Save the clientSecret now: it is not stored and cannot be shown again. If you lose it,',
      'create a new one with: innkeeper app rotate-secret ID',
    ].join('\n'),
  );
}
