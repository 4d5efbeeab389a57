import type { Command } from 'commander';
import { emailKeyOf } from '../domain/accounts/account.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { Failure } from './failure.ts';
import { printResult } from './print.ts';
import { visible } from './table.ts';
import { withStorage } from './with-storage.ts';

export function adminDelete(): Command {
  return defineCommand({
    name: 'delete',
    description: 'delete an account of the portal: its sessions and personal access tokens end at once, everywhere',
    settings: STORAGE_SETTINGS,
    examples: [['admin delete ada@example.com', 'applications and what was published stay as they are']],
  })
    .argument('<EMAIL>', 'whose account it is')
    .action(run);
}

async function run(email: string, options: CommandOptions): Promise<void> {
  const outcome = await withStorage(options, ({ storage }) => storage.accounts.delete(emailKeyOf(email)));
  if (outcome === 'unknown') {
    throw new Failure('there is no account with this address in this database.', {
      wayOut: 'See them all with: innkeeper admin list',
    });
  }
  printResult(options, { email, deleted: true }, () => `Deleted the account of ${visible(email)}.`);
}
