import type { Command } from 'commander';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { canAsk, confirmByTyping } from './confirm.ts';
import { Failure } from './failure.ts';
import { withManagement } from './management.ts';
import { bold, printResult } from './print.ts';
import { visible } from './table.ts';
import { counted } from './time.ts';

export function appDelete(): Command {
  return defineCommand({
    name: 'delete',
    description: 'delete an application with all its users and tokens; this cannot be undone',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['app delete 123456789_4f2c', 'asks for confirmation on a terminal'],
      ['app delete 123456789_4f2c --json', 'in a script: {"clientId","name","users","deleted"}'],
    ],
  })
    .argument('<ID>', 'clientId of the application')
    .option('--yes', 'skip the confirmation')
    .action(run);
}

async function run(clientId: string, options: CommandOptions & { yes?: true }): Promise<void> {
  const { name, users } = await withManagement(options, async ({ applications }) => {
    const { name, users } = await applications.show(clientId);
    if (!options.yes && canAsk())
      await askFirst(clientId, `Deleting "${visible(name)}" also deletes its ${counted(users, 'user')}.`);
    await applications.delete(clientId);
    return { name, users };
  });
  printResult(
    options,
    { clientId, name, users, deleted: true },
    () => `Deleted ${bold(visible(name))} and its ${counted(users, 'user')}.`,
  );
}

async function askFirst(clientId: string, consequence: string): Promise<void> {
  const question = `${consequence} This cannot be undone.\nType the clientId to continue: `;
  if (!(await confirmByTyping(clientId, question, process.stdin, process.stderr))) {
    throw new Failure('nothing was deleted: the clientId does not match.');
  }
}
