import type { Command } from 'commander';
import { whyNoEmail } from '../domain/accounts/account.ts';
import { createSignInLink } from '../domain/accounts/links.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { Misuse } from './failure.ts';
import { bold, printResult } from './print.ts';
import { showTime } from './time.ts';
import { withStorage } from './with-storage.ts';

export function adminCreate(): Command {
  return defineCommand({
    name: 'create',
    description: 'make an account for the portal, or find it, and show a one-time link to sign in',
    settings: [...STORAGE_SETTINGS, 'publicUrl'],
    examples: [
      ['admin create --email ada@example.com', 'the link works once, within 24 hours; links before it stop working'],
      ['admin create --email ada@example.com --json', '{"accountId","email","link","expiresAt"}'],
    ],
  })
    .requiredOption('--email <address>', 'whose account it is')
    .action(run);
}

async function run(options: CommandOptions & { email: string }): Promise<void> {
  const problem = whyNoEmail(options.email);
  if (problem) throw new Misuse(`--email ${problem}.`, { wayOut: 'As in: --email ada@example.com' });
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
        ? `Made an account for ${bold(email)}.`
        : `${bold(email)} has an account. A new link for it:`,
      '',
      `  ${made.link}`,
      '',
      `It signs in once, until ${expiresAt} UTC. Whoever has it gets in: pass it on with care.`,
    ].join('\n'),
  );
}
