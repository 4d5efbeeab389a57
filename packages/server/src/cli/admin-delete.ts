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
    description: 'delete a portal account; its sessions and personal access tokens stop working immediately',
    settings: STORAGE_SETTINGS,
    examples: [['admin delete ada@example.com', 'applications and published catalogs are kept']],
  })
    .argument('<EMAIL>', 'address of the account')
    .action(run);
}

async function run(email: string, options: CommandOptions): Promise<void> {
  const outcome = await withStorage(options, ({ storage }) => storage.accounts.delete(emailKeyOf(email)));
  if (outcome === 'unknown') {
    throw new Failure('no account with this address.', {
      wayOut: 'List accounts with: innkeeper admin list',
    });
  }
  printResult(options, { email, deleted: true }, () => `Deleted the account of ${visible(email)}.`);
}
