import { type Command, InvalidArgumentError, Option } from 'commander';
import { ACCESS, type Access } from '../domain/manage/access.ts';
import { DEFAULT_LIFETIME_SECONDS, readLifetime } from '../domain/manage/authorize-manager.ts';
import { displayNameProblem } from '../domain/required.ts';
import { readUuid } from '../uuid.ts';
import { type CommandOptions, defineGroup, defineManagementCommand } from './command.ts';
import { Failure, UsageError } from './failure.ts';
import { bold, counted, dim, layOut, printResult, readTime, showAge, showRoughly, visible } from './output.ts';
import { withManagement } from './with-management.ts';

export function token(): Command {
  return defineGroup({
    name: 'token',
    description: 'manage personal access tokens for the management API',
    examples: [
      ['token create --name deploy --app 123456789_4f2c --access write', 'edit one catalog, for 90 days; shown once'],
      ['token list', 'list tokens with their last use'],
      ['token revoke 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31', 'revoke a leaked or unused token'],
    ],
    commands: [tokenCreate(), tokenList(), tokenRevoke()],
  });
}

function tokenCreate(): Command {
  return defineManagementCommand({
    name: 'create',
    description: 'create a personal access token for the management API and print it once',
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
        'read: everything but user data and members; texts: read, and translate; users: read, and manage users; write: all of these, and the catalog; own: also secrets, settings and members',
      )
        .choices(ACCESS)
        .default('read'),
    )
    .addOption(
      new Option('--expires <time>', 'lifetime: 12h, 30d, up to 365d')
        .argParser(readExpiry)
        .default(DEFAULT_LIFETIME_SECONDS, '90d'),
    )
    .action(runCreate);
}

type CreateOptions = CommandOptions & { name: string; app?: string[]; access: Access; expires: number };

async function runCreate(options: CreateOptions): Promise<void> {
  const problem = displayNameProblem(options.name);
  if (problem) throw new UsageError(`--name ${problem}.`, { remedy: 'Use 1 to 255 characters.' });

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
          ['applications', apps ? apps.join(', ') : 'all'],
          ['access', access],
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

function tokenList(): Command {
  return defineManagementCommand({
    name: 'list',
    description: 'list personal access tokens, oldest first, including expired ones',
    examples: [
      ['token list', 'print a table'],
      ['token list --json', '[{"tokenId","name","apps","access","createdAt","expiresAt","expired","lastUsedAt"}, …]'],
    ],
  }).action(runList);
}

async function runList(options: CommandOptions): Promise<void> {
  const tokens = await withManagement(options, ({ tokens }) => tokens.list());
  printResult(options, tokens, () => {
    if (tokens.length === 0) return 'No tokens yet.\nCreate one with: innkeeper token create --name NAME';
    const now = Date.now();
    const head = ['TOKEN ID', 'APPLICATIONS', 'ACCESS', 'EXPIRES', 'LAST USED', 'NAME'].map(dim);
    return layOut([
      head,
      ...tokens.map((token) => [
        token.tokenId,
        describeApps(token.apps),
        token.access,
        token.expired ? 'expired' : `in ${showRoughly(readTime(token.expiresAt) - now)}`,
        token.lastUsedAt === null ? 'never' : showAge(now - readTime(token.lastUsedAt)),
        visible(token.name),
      ]),
    ]);
  });
}

function describeApps(apps: string[] | null): string {
  if (apps === null) return 'all';
  return apps.length === 1 ? (apps[0] as string) : counted(apps.length, 'application');
}

function tokenRevoke(): Command {
  return defineManagementCommand({
    name: 'revoke',
    description: 'revoke a personal access token immediately',
    examples: [['token revoke 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31', 'a leaked or unused token']],
  })
    .argument('<ID>', 'the TOKEN ID from `token list`, not the token itself')
    .action(runRevoke);
}

async function runRevoke(given: string, options: CommandOptions): Promise<void> {
  const tokenId = readUuid(given);
  const outcome =
    tokenId === undefined ? 'unknown' : await withManagement(options, ({ tokens }) => tokens.revoke(tokenId));
  if (outcome === 'unknown') {
    throw new Failure('no token with this id.', {
      remedy: 'List tokens with: innkeeper token list',
    });
  }
  printResult(options, { tokenId, revoked: true }, () => `Revoked ${tokenId}. It has stopped working.`);
}
