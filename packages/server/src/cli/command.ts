import { styleText } from 'node:util';
import { Command, type CommanderError, Option } from 'commander';
import {
  environmentName,
  flagName,
  REMOTE_SETTINGS,
  SETTINGS,
  type SettingName,
  type Settings,
} from '../service-settings.ts';
import { Failure, UsageError } from './failure.ts';

/** The last argument of every command's action: the settings given as flags, and whether to print JSON. */
export type CommandOptions = Settings & { json?: true };

/** For commands that only work on the database. */
export const STORAGE_SETTINGS: readonly SettingName[] = ['databaseUrl', 'secret', 'secretPrevious'];

export type CommandText = {
  name: string;
  description: string;
  settings: readonly SettingName[];
  /** Can also work on a remote service, with --url and --token. */
  remote?: true;
  /** What to type after `innkeeper`, and what it does. */
  examples: readonly (readonly [string, string])[];
  /** For a command whose exit code 2 has another meaning: a usage error exits with 1. */
  misuseFails?: true;
};

/** A command with what all of them share: --json, its settings as flags, and examples in its help. */
export function defineCommand({ name, description, settings, remote, examples, misuseFails }: CommandText): Command {
  const command = new Command(name).description(description).option('--json', 'print JSON');
  for (const setting of settings) command.addOption(settingFlag(setting).helpGroup('Settings:'));
  if (remote) for (const option of remoteFlags()) command.addOption(option.helpGroup('Settings:'));
  return misuseThrows(command, misuseFails ? Failure : UsageError).addHelpText(
    'after',
    () => `\n${showExamples(examples)}`,
  );
}

/** One that works on the database, or on a remote service. */
export function defineManagementCommand(text: Omit<CommandText, 'settings'> & Partial<CommandText>): Command {
  return defineCommand({ settings: STORAGE_SETTINGS, remote: true, ...text });
}

/** A name that only contains commands, such as `innkeeper app`. */
export function defineGroup({
  name,
  description,
  examples,
  commands,
}: Omit<CommandText, 'settings'> & { commands: readonly Command[] }): Command {
  const group = misuseThrows(new Command(name).description(description));
  for (const command of commands) group.addCommand(command);
  return group.addHelpText('after', () => `\n${showExamples(examples)}`);
}

function settingFlag(name: SettingName): Option {
  const { describe, default: byDefault } = SETTINGS[name];
  const notes = [environmentName(name), ...(byDefault ? [`default ${byDefault}`] : [])];
  return new Option(`${flagName(name)} <value>`, `${describe} (${notes.join(', ')})`);
}

function remoteFlags(): Option[] {
  return (['url', 'token'] as const).map(
    (name) => new Option(`--${name} <value>`, `${REMOTE_SETTINGS[name].describe} (${environmentName(name)})`),
  );
}

/** Commander would print and exit by itself; here everything ends in main.ts, which handles --json. */
function misuseThrows(command: Command, Kind: typeof Failure = UsageError): Command {
  return command
    .configureOutput({ outputError: () => {} })
    .configureHelp({ styleTitle: (title) => styleText('bold', title) })
    .exitOverride((error: CommanderError) => {
      const shown = error.code.startsWith('commander.help') || error.code === 'commander.version';
      if (shown) throw new HelpShown(error.exitCode === 0 ? 0 : 2);
      const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
      throw new Kind(
        message.replace(/^command-argument value ('.*') is invalid for argument '(\w+)'/, '$2 $1 is invalid'),
        {
          remedy: `See: innkeeper ${[...pathOf(command), '--help'].join(' ')}`,
        },
      );
    });
}

/** The help or version was already printed: nothing more to say. */
export class HelpShown extends Error {
  override name = 'HelpShown';
  readonly exitCode: 0 | 2;

  constructor(exitCode: 0 | 2) {
    super('help shown');
    this.exitCode = exitCode;
  }
}

function pathOf(command: Command): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [];
}

function showExamples(examples: CommandText['examples']): string {
  const lines = examples.map(([line, meaning]) => `  ${styleText('dim', `# ${meaning}`)}\n  $ innkeeper ${line}`);
  return `${styleText('bold', 'Examples:')}\n${lines.join('\n\n')}`;
}
