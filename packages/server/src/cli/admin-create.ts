import type { Command } from 'commander';
import { accountEmailProblem } from '../domain/accounts/account.ts';
import { createSignInLink } from '../domain/accounts/links.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { UsageError } from './failure.ts';
import { bold, printResult } from './print.ts';
import { showTime } from './time.ts';
import { withStorage } from './with-storage.ts';

export function adminCreate(): Command {
  return defineCommand({
    name: 'create',
    description: 'create a portal account, or find it, and print a one-time sign-in link',
    settings: [...STORAGE_SETTINGS, 'publicUrl'],
    examples: [
      ['admin create --email ada@example.com', 'the link works once, within 24 hours; earlier links stop working'],
      ['admin create --email ada@example.com --json', '{"accountId","email","link","expiresAt"}'],
    ],
  })
    .requiredOption('--email <address>', 'address of the account')
    .action(run);
}

async function run(options: CommandOptions & { email: string }): Promise<void> {
  const problem = accountEmailProblem(options.email);
  if (problem) throw new UsageError(`--email ${problem}.`, { wayOut: 'Example: --email ada@example.com' });
  const made = await withStorage(
    options,
    ({ storage, keyring, now, config: { publicUrl } }) =>
      createSignInLink(storage, keyring, { email: options.email, publicUrl, now: now() }),
    { makesDatabase: true },
  );
  const { accountId, email } = made.account;
  const expiresAt = showTime(made.expiresAt);
  printResult(options, { accountId, email, link: made.link, expiresAt }, () =>
    [
      made.outcome === 'created'
        ? `Created an account for ${bold(email)}.`
        : `${bold(email)} already has an account. New sign-in link:`,
      '',
      `  ${made.link}`,
      '',
      `The link works once, until ${expiresAt} UTC. Anyone who has it can sign in: keep it safe.`,
    ].join('\n'),
  );
}
