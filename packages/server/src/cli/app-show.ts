import type { Command } from 'commander';
import { isLive } from '../domain/applications/application.ts';
import { completeSettings } from '../domain/applications/settings.ts';
import type { SecretRecord } from '../storage/port.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { bold, printResult } from './print.ts';
import { settingRows } from './show-setting.ts';
import { layOut, visible } from './table.ts';
import { showAge, showRoughly, showTime } from './time.ts';
import { findApplication, withStorage } from './with-storage.ts';

export function appShow(): Command {
  return defineCommand({
    name: 'show',
    description: 'one application: its settings, its users and the age of its secrets',
    settings: STORAGE_SETTINGS,
    examples: [
      ['app show 123456789_4f2c', 'for people'],
      ['app show 123456789_4f2c --json', '{"clientId","name","createdAt","users","settings","secrets"}'],
    ],
  })
    .argument('<ID>', 'its clientId')
    .action(run);
}

async function run(clientId: string, options: CommandOptions): Promise<void> {
  const { record, users, now } = await withStorage(options, async ({ storage, now }) => {
    const record = await findApplication(storage, clientId);
    return { record, users: await storage.applications.countUsers(record.appId), now: now() };
  });
  const settings = completeSettings(record.settings);
  const secrets = record.secrets.filter((secret) => isLive(secret, now));
  const result = {
    clientId,
    name: record.name,
    createdAt: showTime(record.createdAt),
    users,
    settings,
    secrets: secrets.map(({ createdAt, expiresAt }) => ({
      createdAt: showTime(createdAt),
      expiresAt: expiresAt === null ? null : showTime(expiresAt),
    })),
  };
  printResult(options, result, () =>
    [
      bold(visible(record.name)),
      layOut(
        [
          ['clientId', clientId],
          ['created', `${result.createdAt} UTC`],
          ['users', users.toLocaleString('en')],
        ],
        { indent: 2 },
      ),
      '',
      bold('Settings'),
      layOut(settingRows(settings, record.settings), { indent: 2 }),
      '',
      bold('Secrets'),
      layOut(
        secrets.map((secret) => describeSecret(secret, now)),
        { indent: 2 },
      ),
    ].join('\n'),
  );
}

function describeSecret({ createdAt, expiresAt }: SecretRecord, now: number): string[] {
  const made = `made ${showAge(now - createdAt)} (${showTime(createdAt)} UTC)`;
  if (expiresAt === null) return ['current', made, 'good until it is rotated'];
  return ['previous', made, `ends in ${showRoughly(expiresAt - now)} (${showTime(expiresAt)} UTC)`];
}
