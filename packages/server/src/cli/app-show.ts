import type { Command } from 'commander';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { type ShownApplication, withManagement } from './management.ts';
import { bold, printResult } from './print.ts';
import { settingRows } from './show-setting.ts';
import { layOut, visible } from './table.ts';
import { readTime, showAge, showRoughly } from './time.ts';

export function appShow(): Command {
  return defineCommand({
    name: 'show',
    description: 'show settings, users and secrets of an application',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['app show 123456789_4f2c', 'print a summary'],
      ['app show 123456789_4f2c --json', '{"clientId","name","createdAt","users","settings","secrets"}'],
    ],
  })
    .argument('<ID>', 'clientId of the application')
    .action(run);
}

async function run(clientId: string, options: CommandOptions): Promise<void> {
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
