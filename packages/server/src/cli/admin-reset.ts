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
    description:
      'take the password or the authenticator app of an account away, end its sessions, and show a sign-in link',
    settings: [...STORAGE_SETTINGS, 'publicUrl'],
    examples: [
      ['admin reset ada@example.com', 'both: the link is all she needs to get in and set a new password'],
      ['admin reset ada@example.com --totp', 'her phone is lost: no code is asked for any more'],
      ['admin reset ada@example.com --json', '{"email","password","totp","link","expiresAt"}'],
    ],
  })
    .argument('<EMAIL>', 'whose account it is')
    .option('--password', 'only the password')
    .option('--totp', 'only the codes of the authenticator app, with the recovery codes')
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
    throw new Failure('there is no account with this address in this database.', {
      wayOut: 'See them all with: innkeeper admin list',
    });
  }
  const expiresAt = showTime(made.expiresAt);
  printResult(options, { email: made.account.email, ...what, link: made.link, expiresAt }, () =>
    [
      `Reset ${bold(visible(made.account.email))}: ${describe(what)}. Its sessions have ended. A link to sign in:`,
      '',
      `  ${made.link}`,
      '',
      `It signs in once, until ${expiresAt} UTC. Whoever has it gets in: pass it on with care.`,
    ].join('\n'),
  );
}

function describe({ password, totp }: { password: boolean; totp: boolean }): string {
  if (password && totp) return 'no password and no codes any more';
  return password ? 'no password any more' : 'no codes any more';
}
