import type { Command } from 'commander';
import { displayNameProblem } from '../domain/required.ts';
import { appRotateSecret } from './app-rotate-secret.ts';
import { appSet, appShow } from './app-settings.ts';
import { type CommandOptions, defineGroup, defineManagementCommand } from './command.ts';
import { Failure, UsageError } from './failure.ts';
import { bold, counted, dim, layOut, printResult, visible } from './output.ts';
import { confirmByTyping, mustAsk } from './terminal.ts';
import { withManagement } from './with-management.ts';

export function app(): Command {
  return defineGroup({
    name: 'app',
    description: 'manage applications, their credentials and settings',
    examples: [
      ['app create --name "Acme web"', 'create an application; credentials are shown once'],
      ['app list', 'list applications'],
      ['app set 123456789_4f2c accessTokenTtl=2h', 'change a setting'],
    ],
    commands: [appCreate(), appList(), appShow(), appSet(), appRotateSecret(), appDelete()],
  });
}

function appCreate(): Command {
  return defineManagementCommand({
    name: 'create',
    description: 'create an application and print its credentials once',
    examples: [
      ['app create --name "Acme web"', 'print the clientId and clientSecret'],
      ['app create --name "Acme web" --json > acme.json', 'save {"clientId","clientSecret","name"} to a file'],
    ],
  })
    .requiredOption('--name <name>', 'display name, 1 to 255 characters')
    .action(runCreate);
}

async function runCreate(options: CommandOptions & { name: string }): Promise<void> {
  const problem = displayNameProblem(options.name);
  if (problem) throw new UsageError(`--name ${problem}.`, { remedy: 'Use 1 to 255 characters.' });

  const made = await withManagement(options, ({ applications }) => applications.create(options.name), {
    makesDatabase: true,
  });
  printResult(options, made, () =>
    [
      `Created the application ${bold(visible(made.name))}.`,
      '',
      layOut(
        [
          ['clientId', bold(made.clientId)],
          ['clientSecret', bold(made.clientSecret)],
        ],
        { indent: 2 },
      ),
      '',
      'Save the clientSecret now: it is not stored and cannot be shown again. If you lose it,',
      'create a new one with: innkeeper app rotate-secret ID',
    ].join('\n'),
  );
}

function appList(): Command {
  return defineManagementCommand({
    name: 'list',
    description: 'list applications, oldest first',
    examples: [
      ['app list', 'print a table'],
      ['app list --json', '[{"clientId","name","createdAt"}, …]'],
    ],
  }).action(runList);
}

async function runList(options: CommandOptions): Promise<void> {
  const { rows, place } = await withManagement(options, async ({ applications, place }) => ({
    rows: await applications.list(),
    place,
  }));
  printResult(options, rows, () => {
    if (rows.length === 0) {
      return `No applications yet in ${place}.\nCreate one with: innkeeper app create --name "My application"`;
    }
    const head = ['CLIENT ID', 'CREATED (UTC)', 'NAME'].map(dim);
    return layOut([head, ...rows.map((row) => [row.clientId, row.createdAt, visible(row.name)])]);
  });
}

function appDelete(): Command {
  return defineManagementCommand({
    name: 'delete',
    description: 'delete an application with all its users and tokens; this cannot be undone',
    examples: [
      ['app delete 123456789_4f2c', 'asks for confirmation on a terminal'],
      ['app delete 123456789_4f2c --json', 'in a script: {"clientId","name","users","deleted"}'],
    ],
  })
    .argument('<ID>', 'clientId of the application')
    .option('--yes', 'skip the confirmation')
    .action(runDelete);
}

async function runDelete(clientId: string, options: CommandOptions & { yes?: true }): Promise<void> {
  const { name, users } = await withManagement(options, async ({ applications }) => {
    const { name, users } = await applications.show(clientId);
    if (!options.yes && mustAsk())
      await askFirst(clientId, `Deleting "${visible(name)}" also deletes its ${counted(users, 'user')}.`);
    await applications.delete(clientId);
    return { name, users };
  });
  printResult(
    options,
    { clientId, name, users, deleted: true },
    () => `Deleted ${bold(visible(name))} and its ${counted(users, 'user')}.`,
  );
}

async function askFirst(clientId: string, consequence: string): Promise<void> {
  const question = `${consequence} This cannot be undone.\nType the clientId to continue: `;
  if (!(await confirmByTyping(clientId, question, process.stdin, process.stderr))) {
    throw new Failure('nothing was deleted: the clientId does not match.');
  }
}
