import type { Command } from 'commander';
import type { UserStatus } from '../storage/port.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { canAsk, confirmByTyping } from './confirm.ts';
import { Failure } from './failure.ts';
import { type ShownUser, withManagement } from './management.ts';
import { bold, printResult } from './print.ts';
import { layOut, visible } from './table.ts';

type Options = CommandOptions & { app: string };

export function defineUserCommand(
  name: string,
  description: string,
  examples: readonly (readonly [string, string])[],
): Command {
  return defineCommand({ name, description, settings: STORAGE_SETTINGS, remote: true, examples })
    .argument('<ID>', 'the service_user_code or the clientUserId')
    .requiredOption('--app <ID>', 'clientId of the application');
}

export function usersShow(): Command {
  return defineUserCommand('show', 'show one user', [
    ['users show ada@example.com --app 123456789_4f2c', 'by clientUserId'],
    ['users show 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31 --app 123456789_4f2c --json', 'by service_user_code'],
  ]).action(async (id: string, options: Options) => {
    const user = await withManagement(options, ({ users }) => users.find(options.app, id));
    printResult(options, user, () => layOut(Object.entries(user).map(([name, value]) => [name, visible(value)])));
  });
}

export function usersSuspend(): Command {
  return defineUserCommand('suspend', 'suspend a user: no new access tokens, and existing ones stop working', [
    ['users suspend ada@example.com --app 123456789_4f2c', 'takes effect immediately; all data is kept'],
  ]).action((id: string, options: Options) => setStatus(id, options, 'suspended', 'Suspended'));
}

export function usersResume(): Command {
  return defineUserCommand('resume', 'resume a suspended user: everything works as before', [
    ['users resume ada@example.com --app 123456789_4f2c', 'their access tokens work again'],
  ]).action((id: string, options: Options) => setStatus(id, options, 'active', 'Resumed'));
}

async function setStatus(id: string, options: Options, status: UserStatus, done: string): Promise<void> {
  const user = await withManagement(options, ({ users }) => users.setStatus(options.app, id, status));
  printResult(options, user, () => `${done} ${named(user)}.`);
}

export function usersDelete(): Command {
  return defineUserCommand('delete', 'delete a user with selections and tokens; this cannot be undone', [
    ['users delete ada@example.com --app 123456789_4f2c', 'asks for confirmation on a terminal'],
    ['users delete ada@example.com --app 123456789_4f2c --json', 'in a script'],
  ])
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, options: Options & { yes?: true }) => {
      const { user, receipt } = await withManagement(options, async ({ users }) => {
        const found = await users.find(options.app, id);
        if (!options.yes && canAsk()) await askFirst(found);
        return { user: found, receipt: await users.delete(options.app, found) };
      });
      const { service_user_code, clientUserId } = user;
      printResult(options, { service_user_code, clientUserId, deleted: true, receipt }, () =>
        [`Deleted ${named(user)}.`, ...(receipt === null ? [] : [`Signed receipt: ${receipt}`])].join('\n'),
      );
    });
}

async function askFirst(user: ShownUser): Promise<void> {
  const consequence = `Deleting ${named(user)} deletes their selections and tokens too.`;
  const question = `${consequence} This cannot be undone.\nType the clientUserId to continue: `;
  if (!(await confirmByTyping(user.clientUserId, question, process.stdin, process.stderr))) {
    throw new Failure('nothing was deleted: the clientUserId does not match.');
  }
}

function named({ clientUserName, clientUserId }: ShownUser): string {
  return `${bold(visible(clientUserName))} (${visible(clientUserId)})`;
}
