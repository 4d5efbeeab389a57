import type { Command } from 'commander';
import type { UserStatus } from '../storage/port.ts';
import { parseDuration } from '../time.ts';
import { type CommandOptions, defineGroup, defineManagementCommand } from './command.ts';
import { Failure, UsageError } from './failure.ts';
import type { ShownUser } from './management.ts';
import { bold, layOut, printResult, visible } from './output.ts';
import { confirmByTyping, mustAsk } from './terminal.ts';
import { usersExport } from './users-export.ts';
import { usersImport } from './users-import.ts';
import { withManagement } from './with-management.ts';

export function users(): Command {
  return defineGroup({
    name: 'users',
    description:
      'import and export users with their selections; show, suspend, resume and delete one; create a preference link',
    examples: [
      ['users import users.ndjson --app 123456789_4f2c', 'import users from a file'],
      ['users export --app 123456789_4f2c > users.ndjson', 'export all users to a file'],
      ['users suspend ada@example.com --app 123456789_4f2c', 'block a user, keeping all data'],
    ],
    commands: [usersImport(), usersExport(), usersShow(), usersSuspend(), usersResume(), usersLink(), usersDelete()],
  });
}

type Options = CommandOptions & { app: string };

function defineUserCommand(
  name: string,
  description: string,
  examples: readonly (readonly [string, string])[],
): Command {
  return defineManagementCommand({ name, description, examples })
    .argument('<ID>', 'the service_user_code or the clientUserId')
    .requiredOption('--app <ID>', 'clientId of the application');
}

function usersShow(): Command {
  return defineUserCommand('show', 'show one user', [
    ['users show ada@example.com --app 123456789_4f2c', 'by clientUserId'],
    ['users show 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31 --app 123456789_4f2c --json', 'by service_user_code'],
  ]).action(async (id: string, options: Options) => {
    const user = await withManagement(options, ({ users }) => users.find(options.app, id));
    printResult(options, user, () => layOut(Object.entries(user).map(([name, value]) => [name, visible(value)])));
  });
}

function usersSuspend(): Command {
  return defineUserCommand('suspend', 'suspend a user: no new access tokens, and existing ones stop working', [
    ['users suspend ada@example.com --app 123456789_4f2c', 'takes effect immediately; all data is kept'],
  ]).action((id: string, options: Options) => setStatus(id, options, 'suspended', 'Suspended'));
}

function usersResume(): Command {
  return defineUserCommand('resume', 'resume a suspended user: everything works as before', [
    ['users resume ada@example.com --app 123456789_4f2c', 'their access tokens work again'],
  ]).action((id: string, options: Options) => setStatus(id, options, 'active', 'Resumed'));
}

async function setStatus(id: string, options: Options, status: UserStatus, done: string): Promise<void> {
  const user = await withManagement(options, ({ users }) => users.setStatus(options.app, id, status));
  printResult(options, user, () => `${done} ${named(user)}.`);
}

function usersDelete(): Command {
  return defineUserCommand('delete', 'delete a user with selections and tokens; this cannot be undone', [
    ['users delete ada@example.com --app 123456789_4f2c', 'asks for confirmation on a terminal'],
    ['users delete ada@example.com --app 123456789_4f2c --json', 'in a script'],
  ])
    .option('--yes', 'skip the confirmation')
    .action(async (id: string, options: Options & { yes?: true }) => {
      const { user, receipt } = await withManagement(options, async ({ users }) => {
        const found = await users.find(options.app, id);
        if (!options.yes && mustAsk()) await askFirst(found);
        return { user: found, receipt: await users.delete(options.app, found) };
      });
      const { service_user_code, clientUserId } = user;
      printResult(options, { service_user_code, clientUserId, deleted: true, receipt }, () =>
        [`Deleted ${named(user)}.`, `Signed receipt: ${receipt ?? 'could not be fetched'}`].join('\n'),
      );
    });
}

async function askFirst(user: ShownUser): Promise<void> {
  const consequence = `Deleting ${named(user)} deletes their selections and tokens too.`;
  const question = `${consequence} This cannot be undone.\nType the clientUserId to continue: `;
  if (!(await confirmByTyping(user.clientUserId, question, process.stdin, process.stderr))) {
    throw new Failure('nothing was deleted: the clientUserId does not match.', {
      remedy: `Type ${visible(user.clientUserId)} exactly, or add --yes.`,
    });
  }
}

function named({ clientUserName, clientUserId }: ShownUser): string {
  return `${bold(visible(clientUserName))} (${visible(clientUserId)})`;
}

type LinkOptions = CommandOptions & {
  app: string;
  group?: string[];
  language?: string;
  expires?: string;
  unsubscribe?: string[];
  withdraw?: true;
};

const collect = (value: string, before: string[] = []): string[] => [...before, value];

function usersLink(): Command {
  return defineUserCommand('link', 'create a preference link for a user; it opens without sign-in', [
    ['users link ada@example.com --app 123456789_4f2c', 'all groups, for 30 days'],
    [
      'users link ada@example.com --app 123456789_4f2c --group notifications --language de --expires 7d',
      'one group, in German, for a week',
    ],
    [
      "users link ada@example.com --app 123456789_4f2c --unsubscribe 'notifications.newsletter=[false]' --json",
      '{"url","expiresAt","unsubscribeUrl"}',
    ],
    ['users link ada@example.com --app 123456789_4f2c --withdraw', 'all existing links stop working'],
  ])
    .option('--group <name>', 'option group to show; can be repeated', collect)
    .option('--language <name>', 'language of the page (default: that of the browser)')
    .option('--expires <duration>', 'lifetime: 12h, 7d, up to 365d (default: 30d)')
    .option(
      '--unsubscribe <group.key=values>',
      'what one click saves, values as a JSON array; can be repeated',
      collect,
    )
    .option('--withdraw', 'withdraw all links of the user instead')
    .action(run);
}

async function run(id: string, options: LinkOptions): Promise<void> {
  if (options.withdraw) {
    const user = await withManagement(options, ({ users }) => users.withdrawLinks(options.app, id));
    const { service_user_code, clientUserId } = user;
    const result = { service_user_code, clientUserId, withdrawn: true };
    printResult(options, result, () => `Withdrew all preference links of ${bold(visible(clientUserId))}.`);
    return;
  }
  const wanted = {
    groups: options.group,
    language: options.language,
    expiresIn: readExpiry(options.expires),
    unsubscribe: options.unsubscribe && Object.fromEntries(options.unsubscribe.map(readUnsubscribe)),
  };
  const link = await withManagement(options, ({ users }) => users.link(options.app, id, wanted));
  printResult(options, link, () =>
    [
      link.url,
      ...(link.unsubscribeUrl === undefined ? [] : [`unsubscribe: ${link.unsubscribeUrl}`]),
      `Expires ${link.expiresAt} UTC. Anyone with the link can change the options of this user.`,
    ].join('\n'),
  );
}

function readExpiry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = parseDuration(text);
  if (seconds === undefined)
    throw new UsageError(`--expires must be a duration with a unit, such as 7d, not "${text}".`);
  return seconds;
}

function readUnsubscribe(text: string): [string, unknown[]] {
  const at = text.indexOf('=');
  try {
    const values: unknown = JSON.parse(text.slice(at + 1));
    if (at > 0 && Array.isArray(values)) return [text.slice(0, at), values];
  } catch {
    // Reported below.
  }
  throw new UsageError(
    `--unsubscribe must be group.key=[values], such as notifications.newsletter=[false], not "${text}".`,
  );
}
