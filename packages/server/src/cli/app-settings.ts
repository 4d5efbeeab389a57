import type { Command } from 'commander';
import { LOGO_FORM, writeLogo } from '../domain/applications/look.ts';
import {
  type ApplicationSettings,
  type ChangeProblem,
  readChange,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
} from '../domain/applications/settings.ts';
import { type CommandOptions, defineManagementCommand } from './command.ts';
import { UsageError } from './failure.ts';
import type { ShownApplication } from './management.ts';
import { bold, dim, layOut, printResult, readTime, showAge, showDuration, showRoughly, visible } from './output.ts';
import { readBytes } from './read-input.ts';
import { withManagement } from './with-management.ts';

export function appShow(): Command {
  return defineManagementCommand({
    name: 'show',
    description: 'show settings, users and secrets of an application',
    examples: [
      ['app show 123456789_4f2c', 'print a summary'],
      ['app show 123456789_4f2c --json', '{"clientId","name","createdAt","users","settings","secrets"}'],
    ],
  })
    .argument('<ID>', 'clientId of the application')
    .action(runShow);
}

async function runShow(clientId: string, options: CommandOptions): Promise<void> {
  const shown = await withManagement(options, ({ applications }) => applications.show(clientId));
  const { name, createdAt, users, settings, changed } = shown;
  const secrets = shown.secrets.map((secret) => ({ createdAt: secret.createdAt, expiresAt: secret.expiresAt }));
  const result = { clientId, name, createdAt, users, settings, secrets };
  printResult(options, result, () =>
    [
      bold(visible(name)),
      layOut(
        [
          ['clientId', clientId],
          ['created', `${createdAt} UTC`],
          ['users', users.toLocaleString('en')],
        ],
        { indent: 2 },
      ),
      '',
      bold('Settings'),
      layOut(settingRows(settings, changed), { indent: 2 }),
      '',
      bold('Secrets'),
      layOut(
        secrets.map((secret) => describeSecret(secret, Date.now())),
        { indent: 2 },
      ),
    ].join('\n'),
  );
}

function describeSecret({ createdAt, expiresAt }: ShownApplication['secrets'][number], now: number): string[] {
  const made = `created ${showAge(now - readTime(createdAt))} (${createdAt} UTC)`;
  if (expiresAt === null) return ['current', made, 'valid until rotated'];
  return ['previous', made, `expires in ${showRoughly(readTime(expiresAt) - now)} (${expiresAt} UTC)`];
}

export function appSet(): Command {
  return defineManagementCommand({
    name: 'set',
    description: 'change settings of an application, all or nothing',
    examples: [
      ['app set 123456789_4f2c specialTokenTtl=30m accessTokenTtl=12h', 'change two settings'],
      [
        'app set 123456789_4f2c allowedOrigins=https://app.example.com,https://www.example.com',
        'allow browsers on these origins; replaces the list',
      ],
      ['app set 123456789_4f2c accentColor=#1f5fbf logo=@logo.png', 'look of the preference page'],
      ['app set 123456789_4f2c specialTokenTtl=', 'reset to the default'],
      ['app set 123456789_4f2c name="Acme, the shop"', 'rename; credentials do not change'],
    ],
  })
    .argument('<ID>', 'clientId of the application')
    .argument('<KEY=VALUE...>', 'setting to change; KEY= resets it to the default')
    .addHelpText('after', () => `\n${bold('Keys and defaults:')}\n${layOut(settingsGuide(), { indent: 2 })}`)
    .action(runSet);
}

async function runSet(clientId: string, assignments: string[], options: CommandOptions): Promise<void> {
  const read = readChange(await Promise.all(assignments.map(splitAssignment).map(readLogoFile)));
  if ('problems' in read) throw refused(read.problems);

  const outcome = await withManagement(options, ({ applications }) => applications.change(clientId, read.change));
  if ('problems' in outcome) throw refused(outcome.problems);
  const { name, settings, changed } = outcome;
  printResult(options, { clientId, name, settings }, () => {
    const given = SETTING_NAMES.filter((setting) => setting in read.change.settings);
    const done = `Changed ${bold(visible(name))}. Changes apply within a second.`;
    return given.length === 0 ? done : `${done}\n\n${layOut(settingRows(settings, changed, given), { indent: 2 })}`;
  });
}

function refused(problems: readonly ChangeProblem[]): UsageError {
  return new UsageError('nothing was changed:', {
    problems: problems.map(({ field, message }) => `${isKnown(field) ? field : `"${field}"`} ${message}.`),
    remedy: `Keys: name, ${SETTING_NAMES.join(', ')}.`,
    guide: `Keys:\n${layOut(settingsGuide(), { indent: 2 })}`,
  });
}

function isKnown(key: string): boolean {
  return key === 'name' || (SETTING_NAMES as string[]).includes(key);
}

/** A logo is given as a path. */
async function readLogoFile([key, value]: [key: string, value: string]): Promise<[key: string, value: string]> {
  if (key !== 'logo' || !value.startsWith('@')) return [key, value];
  const file = value.slice(1);
  const logo = writeLogo(await readBytes(file));
  if (!logo) throw new UsageError(`${visible(file)} is not ${LOGO_FORM}.`);
  return [key, logo.value];
}

function splitAssignment(text: string): [key: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1) {
    throw new UsageError(`"${text}" is not KEY=VALUE.`, {
      remedy: 'For example: innkeeper app set ID accessTokenTtl=2h',
    });
  }
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Name and value, with the meaning below; `changed` are those that differ from their defaults. */
function settingRows(
  settings: ApplicationSettings,
  changed: readonly string[],
  names: readonly SettingName[] = SETTING_NAMES,
): string[][] {
  return names.flatMap((name) => [
    [name, showSetting(name, settings[name]) + (changed.includes(name) ? '' : dim(' (default)'))],
    ['', dim(SETTINGS[name].describe)],
  ]);
}

/** For help, and after a typo. */
function settingsGuide(): string[][] {
  return [
    ['name', 'display name of the application, 1 to 255 characters'],
    ...SETTING_NAMES.map((name) => [
      name,
      `${SETTINGS[name].describe}; default: ${showSetting(name, SETTINGS[name].default)}`,
    ]),
  ];
}

/** As in the table of settings in docs/operations.md. */
export function showSetting(name: SettingName, value: ApplicationSettings[SettingName]): string {
  if (name.endsWith('Ttl')) return showDuration(value as number);
  if (name.endsWith('Kept') && value !== 0) return `${value}d`;
  if (Array.isArray(value)) return value.join(', ') || 'none';
  if (value === '') return 'none';
  if (name === 'logo') return showLogo(value as string);
  return String(value);
}

function showLogo(dataUrl: string): string {
  const [type, base64 = ''] = dataUrl.slice('data:'.length).split(';base64,');
  return `${type}, ${Buffer.byteLength(base64, 'base64')} bytes`;
}
