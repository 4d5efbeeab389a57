import { type Command, InvalidArgumentError, Option } from 'commander';
import { ACCESS, type Access } from '../domain/manage/access.ts';
import { DEFAULT_LIFETIME_SECONDS, readLifetime } from '../domain/manage/manage-token.ts';
import { displayNameProblem } from '../domain/required.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { UsageError } from './failure.ts';
import { withManagement } from './management.ts';
import { bold, printResult } from './print.ts';
import { layOut, visible } from './table.ts';

export function tokenCreate(): Command {
  return defineCommand({
    name: 'create',
    description: 'create a personal access token for the management API and print it once',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['token create --name deploy --app 123456789_4f2c --access write', 'edit one catalog, for 90 days'],
      ['token create --name reports --access read --expires 365d', 'read all applications, for a year'],
      ['token create --name ci --app 123456789_4f2c --json', '{"token","tokenId","name","apps","access","expiresAt"}'],
    ],
  })
    .requiredOption('--name <name>', 'its purpose, 1 to 255 characters; shown in revisions and the audit log')
    .option('--app <ID>', 'clientId of an application; can be repeated (default: all applications)', addTo)
    .addOption(
      new Option(
        '--access <access>',
        'read: no user data; texts: also translations; users: also users; write: all of these and the catalog; own: also secrets and settings',
      )
        .choices(ACCESS)
        .default('read'),
    )
    .addOption(
      new Option('--expires <time>', 'lifetime: 12h, 30d, up to 365d')
        .argParser(readExpiry)
        .default(DEFAULT_LIFETIME_SECONDS, '90d'),
    )
    .action(run);
}

type CreateOptions = CommandOptions & { name: string; app?: string[]; access: Access; expires: number };

async function run(options: CreateOptions): Promise<void> {
  const problem = displayNameProblem(options.name);
  if (problem) throw new UsageError(`--name ${problem}.`, { wayOut: 'Use 1 to 255 characters.' });

  const apps = options.app ? [...new Set(options.app)] : null;
  const { name, access, expires: lifetimeSeconds } = options;
  const { token, tokenId, expiresAt } = await withManagement(
    options,
    ({ tokens }) => tokens.create({ name, apps, access, lifetimeSeconds }),
    { makesDatabase: true },
  );
  printResult(options, { token, tokenId, name, apps, access, expiresAt }, () =>
    [
      `Created the token ${bold(visible(name))}.`,
      '',
      layOut(
        [
          ['token', bold(token)],
          ['tokenId', tokenId],
          ['for', apps ? apps.join(', ') : 'all applications'],
          ['may', access === 'own' ? 'everything' : access],
          ['expires', `${expiresAt} UTC`],
        ],
        { indent: 2 },
      ),
      '',
      'Save the token now: it is not stored and cannot be shown again. Send it to /manage/v1 as',
      'Authorization: Bearer TOKEN',
    ].join('\n'),
  );
}

function addTo(clientId: string, before: string[] = []): string[] {
  return [...before, clientId];
}

function readExpiry(text: string): number {
  const read = readLifetime(text);
  if ('problem' in read) throw new InvalidArgumentError(`It ${read.problem}.`);
  return read.seconds;
}
