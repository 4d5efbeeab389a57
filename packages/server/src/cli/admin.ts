import type { Command } from 'commander';
import { accountEmailProblem, emailKeyOf } from '../domain/accounts/account.ts';
import { createSignInLink } from '../domain/accounts/links.ts';
import type { AccountRecord } from '../storage/port.ts';
import { formatTime } from '../time.ts';
import { type CommandOptions, defineCommand, defineGroup, STORAGE_SETTINGS } from './command.ts';
import { Failure, UsageError } from './failure.ts';
import { bold, dim, layOut, printResult, visible } from './output.ts';
import { type OpenStorage, withStorage } from './with-storage.ts';

export function admin(): Command {
  return defineGroup({
    name: 'admin',
    description: 'manage portal accounts',
    examples: [
      ['admin create --email ada@example.com', 'create an account, or a new sign-in link for an existing one'],
      ['admin list', 'list accounts'],
      ['admin reset ada@example.com', 'lost password or phone'],
      ['admin delete ada@example.com', 'also ends sessions and personal access tokens'],
    ],
    commands: [adminCreate(), adminList(), adminReset(), adminDelete()],
  });
}

function adminCreate(): Command {
  return defineCommand({
    name: 'create',
    description: 'print a one-time sign-in link; create an administrator if the address has no account',
    settings: [...STORAGE_SETTINGS, 'publicUrl'],
    examples: [
      ['admin create --email ada@example.com', 'the link works once, within 24 hours; earlier links stop working'],
      ['admin create --email ada@example.com --json', '{"accountId","email","link","expiresAt"}'],
    ],
  })
    .requiredOption('--email <address>', 'address of the account')
    .action(runCreate);
}

async function runCreate(options: CommandOptions & { email: string }): Promise<void> {
  const problem = accountEmailProblem(options.email);
  if (problem) throw new UsageError(`--email ${problem}.`, { remedy: 'Example: --email ada@example.com' });
  const made = await withStorage(
    options,
    ({ storage, keyring, now, config: { publicUrl } }) =>
      createSignInLink(storage, keyring, { email: options.email, publicUrl, now: now() }),
    { makesDatabase: true },
  );
  const { accountId, email } = made.account;
  const expiresAt = formatTime(made.expiresAt);
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

function adminList(): Command {
  return defineCommand({
    name: 'list',
    description: 'list portal accounts, oldest first',
    settings: STORAGE_SETTINGS,
    examples: [
      ['admin list', 'print a table'],
      ['admin list --json', '[{"accountId","email","role","createdAt"}, …]'],
    ],
  }).action(runList);
}

async function runList(options: CommandOptions): Promise<void> {
  const accounts = await withStorage(options, ({ storage }) => storage.accounts.list());
  const rows = accounts.map(({ accountId, email, role, createdAt }) => ({
    accountId,
    email,
    role,
    createdAt: formatTime(createdAt),
  }));
  printResult(options, rows, () => {
    if (rows.length === 0) return 'No accounts yet.\nCreate one with: innkeeper admin create --email ADDRESS';
    const head = ['ROLE', 'CREATED', 'E-MAIL'].map(dim);
    return layOut([head, ...rows.map(({ role, createdAt, email }) => [role, createdAt, email])]);
  });
}

const MAIL_WITHIN_MS = 15_000;

function adminReset(): Command {
  return defineCommand({
    name: 'reset',
    description:
      'reset the password and two-step sign-in of an account, end its sessions, delete its personal access tokens and the invitations it sent, and print a sign-in link; if mail is set up, the account is notified',
    settings: [...STORAGE_SETTINGS, 'publicUrl', 'smtpUrl', 'mailFrom'],
    examples: [
      ['admin reset ada@example.com', 'reset both; the link lets her sign in and set a new password'],
      ['admin reset ada@example.com --totp', 'lost phone: sign in without a code'],
      ['admin reset ada@example.com --json', '{"email","password","totp","link","expiresAt","mailed"}'],
    ],
  })
    .argument('<EMAIL>', 'address of the account')
    .option('--password', 'reset all of this except two-step sign-in')
    .option('--totp', 'reset only two-step sign-in, including recovery codes; also ends sessions')
    .action(runReset);
}

async function runReset(email: string, options: CommandOptions & { password?: true; totp?: true }): Promise<void> {
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
      remedy: 'List accounts with: innkeeper admin list',
    });
  }
  const expiresAt = formatTime(made.expiresAt);
  const { mail } = made;
  const json = { email: made.account.email, ...what, link: made.link, expiresAt, mailed: mail === 'sent' };
  printResult(options, json, () =>
    [
      `Reset ${bold(visible(made.account.email))}: ${describe(what)}. Its sessions have ended. Sign-in link:`,
      '',
      `  ${made.link}`,
      '',
      `The link works once, until ${expiresAt} UTC. Anyone who has it can sign in: keep it safe.`,
      ...(mail === 'sent' ? ['The account was notified by e-mail, without the link.'] : []),
      ...(mail !== 'sent' && mail !== 'off'
        ? [`The account could not be notified by e-mail (${mail.failed}): inform its owner.`]
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
  let failed = 'no response in time';
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

function adminDelete(): Command {
  return defineCommand({
    name: 'delete',
    description: 'delete a portal account; its sessions and personal access tokens stop working immediately',
    settings: STORAGE_SETTINGS,
    examples: [['admin delete ada@example.com', 'applications and published catalogs are kept']],
  })
    .argument('<EMAIL>', 'address of the account')
    .action(runDelete);
}

async function runDelete(email: string, options: CommandOptions): Promise<void> {
  const outcome = await withStorage(options, ({ storage }) => storage.accounts.delete(emailKeyOf(email)));
  if (outcome === 'unknown') {
    throw new Failure('no account with this address.', {
      remedy: 'List accounts with: innkeeper admin list',
    });
  }
  printResult(options, { email, deleted: true }, () => `Deleted the account of ${visible(email)}.`);
}
