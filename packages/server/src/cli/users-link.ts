import type { Command } from 'commander';
import { parseDuration } from '../domain/duration.ts';
import type { CommandOptions } from './command.ts';
import { UsageError } from './failure.ts';
import { withManagement } from './management.ts';
import { bold, printResult } from './print.ts';
import { visible } from './table.ts';
import { defineUserCommand } from './users-one.ts';

type Options = CommandOptions & {
  app: string;
  group?: string[];
  language?: string;
  expires?: string;
  unsubscribe?: string[];
  withdraw?: true;
};

const collect = (value: string, before: string[] = []): string[] => [...before, value];

export function usersLink(): Command {
  return defineUserCommand('link', 'create a link to the preferences of a user, which needs no sign-in', [
    ['users link ada@example.com --app 123456789_4f2c', 'all groups, for 30 days'],
    [
      'users link ada@example.com --app 123456789_4f2c --group notifications --language de --expires 7d',
      'one group, in German, for a week',
    ],
    [
      "users link ada@example.com --app 123456789_4f2c --unsubscribe 'notifications.newsletter=[false]' --json",
      '{"url","expiresAt","unsubscribeUrl"}',
    ],
    ['users link ada@example.com --app 123456789_4f2c --withdraw', 'all links made so far stop working'],
  ])
    .option('--group <name>', 'option group to show; can be repeated', collect)
    .option('--language <name>', 'language of the page; by default, that of the browser')
    .option('--expires <duration>', 'how long it works, at most 365d; 30d by default')
    .option(
      '--unsubscribe <group.key=values>',
      'what one click saves, values as a JSON array; can be repeated',
      collect,
    )
    .option('--withdraw', 'withdraw all links of the user instead')
    .action(run);
}

async function run(id: string, options: Options): Promise<void> {
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
  if (seconds === undefined) throw new UsageError(`--expires is a duration with a unit, such as 7d; "${text}" is not.`);
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
    `--unsubscribe is group.key=[values], such as notifications.newsletter=[false]; "${text}" is not.`,
  );
}
