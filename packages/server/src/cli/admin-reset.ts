import type { Command } from 'commander';
import { emailKeyOf } from '../domain/accounts/account.ts';
import { createSignInLink } from '../domain/accounts/links.ts';
import type { AccountRecord } from '../storage/port.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { Failure } from './failure.ts';
import { bold, printResult } from './print.ts';
import { visible } from './table.ts';
import { showTime } from './time.ts';
import { type OpenStorage, withStorage } from './with-storage.ts';

const MAIL_WITHIN_MS = 15_000;

export function adminReset(): Command {
  return defineCommand({
    name: 'reset',
    description:
      'reset the password or two-step sign-in of an account, end its sessions and print a sign-in link; its owner gets a mail, if mail is set up',
    settings: [...STORAGE_SETTINGS, 'publicUrl', 'smtpUrl', 'mailFrom'],
    examples: [
      ['admin reset ada@example.com', 'reset both; the link lets her sign in and set a new password'],
      ['admin reset ada@example.com --totp', 'lost phone: sign in without a code'],
      ['admin reset ada@example.com --json', '{"email","password","totp","link","expiresAt","mailed"}'],
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
  const made = await withStorage(options, async (open) => {
    const { storage, keyring, now, config } = open;
    if ((await storage.accounts.reset(emailKeyOf(email), what)) === 'unknown') return undefined;
    const link = await createSignInLink(storage, keyring, { email, publicUrl: config.publicUrl, now: now() });
    return { ...link, mail: await notifyOwner(open, link.account, what) };
  });
  if (!made) {
    throw new Failure('no account with this address.', {
      wayOut: 'List accounts with: innkeeper admin list',
    });
  }
  const expiresAt = showTime(made.expiresAt);
  const { mail } = made;
  const json = { email: made.account.email, ...what, link: made.link, expiresAt, mailed: mail === 'sent' };
  printResult(options, json, () =>
    [
      `Reset ${bold(visible(made.account.email))}: ${describe(what)}. Its sessions have ended. Sign-in link:`,
      '',
      `  ${made.link}`,
      '',
      `The link works once, until ${expiresAt} UTC. Anyone who has it can sign in: keep it safe.`,
      ...(mail === 'sent' ? ['The owner of the account was told by mail, without the link.'] : []),
      ...(mail !== 'sent' && mail !== 'off'
        ? [`The mail to its owner could not be sent (${mail.failed}): tell them.`]
        : []),
    ].join('\n'),
  );
}

/**
 * Mails the owner, as the portal does when a password changes: they may not have asked for it. Tried once, because the
 * operator is waiting.
 */
async function notifyOwner(
  { config: { mail, publicUrl }, now }: OpenStorage,
  account: AccountRecord,
  { password, totp }: { password: boolean; totp: boolean },
): Promise<'sent' | 'off' | { failed: string }> {
  if (!mail) return 'off';
  const [{ SmtpMailer }, { notifyOfReset }] = await Promise.all([
    import('../mail/smtp-mailer.ts'),
    import('../domain/mail/notices.ts'),
  ]);
  let failed = 'no answer in time';
  const mailer = new SmtpMailer(mail, {
    onFailure: (reason) => {
      failed = reason;
    },
    onDropped: () => {},
    pausesMs: [],
    closeWithinMs: MAIL_WITHIN_MS,
  });
  notifyOfReset({ mailer, publicUrl, now }, account, password && totp ? 'both' : password ? 'password' : 'twoStep');
  await mailer.close();
  return mailer.counts().sent > 0 ? 'sent' : { failed };
}

function describe({ password, totp }: { password: boolean; totp: boolean }): string {
  if (password && totp) return 'password and two-step sign-in removed';
  return password ? 'password removed' : 'two-step sign-in removed';
}
