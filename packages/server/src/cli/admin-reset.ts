import type { Command } from 'commander';
import { emailKeyOf } from '../domain/accounts/account.ts';
import { createSignInLink } from '../domain/accounts/links.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { Failure } from './failure.ts';
import { bold, printResult } from './print.ts';
import { visible } from './table.ts';
import { showTime } from './time.ts';
import { withStorage } from './with-storage.ts';

export function adminReset(): Command {
  return defineCommand({
    name: 'reset',
    description: 'reset the password or two-step sign-in of an account, end its sessions and print a sign-in link',
    settings: [...STORAGE_SETTINGS, 'publicUrl'],
    examples: [
      ['admin reset ada@example.com', 'reset both; the link lets her sign in and set a new password'],
      ['admin reset ada@example.com --totp', 'lost phone: sign in without a code'],
      ['admin reset ada@example.com --json', '{"email","password","totp","link","expiresAt"}'],
    ],
  })
    .argument('<EMAIL>', 'address of the account')
    .option(
      '--password',
      'reset only the password; also deletes its personal access tokens and the invitations it sent',
    )
    .option('--totp', 'reset only two-step sign-in, including recovery codes')
    .action(run);
}

async function run(email: string, options: CommandOptions & { password?: true; totp?: true }): Promise<void> {
  const both = !options.password && !options.totp;
  const what = { password: both || options.password === true, totp: both || options.totp === true };
  const made = await withStorage(options, async ({ storage, keyring, now, config: { publicUrl } }) => {
    if ((await storage.accounts.reset(emailKeyOf(email), what)) === 'unknown') return undefined;
    return createSignInLink(storage, keyring, { email, publicUrl, now: now() });
  });
  if (!made) {
    throw new Failure('no account with this address.', {
      wayOut: 'List accounts with: innkeeper admin list',
    });
  }
  const expiresAt = showTime(made.expiresAt);
  printResult(options, { email: made.account.email, ...what, link: made.link, expiresAt }, () =>
    [
      `Reset ${bold(visible(made.account.email))}: ${describe(what)}. Its sessions have ended. Sign-in link:`,
      '',
      `  ${made.link}`,
      '',
      `The link works once, until ${expiresAt} UTC. Anyone who has it can sign in: keep it safe.`,
    ].join('\n'),
  );
}

function describe({ password, totp }: { password: boolean; totp: boolean }): string {
  if (password && totp) return 'password and two-step sign-in removed';
  return password ? 'password removed' : 'two-step sign-in removed';
}
