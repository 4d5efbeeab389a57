import type { Command } from 'commander';
import { checkSecret } from '../domain/check-secret.ts';
import { countSealed } from '../domain/rotate-master-secret.ts';
import { formatTime } from '../time.ts';
import { isWeakSecret } from '../unsafe-settings.ts';
import { type CommandOptions, defineCommand, defineGroup, STORAGE_SETTINGS } from './command.ts';
import { Failure } from './failure.ts';
import { counted, printResult } from './output.ts';
import { Progress } from './terminal.ts';
import { type OpenStorage, withStorage } from './with-storage.ts';

export function secret(): Command {
  return defineGroup({
    name: 'secret',
    description: 'replace INNKEEPER_SECRET; all credentials stay valid',
    examples: [['secret rotate', 'seal everything under the new secret']],
    commands: [secretRotate()],
  });
}

const BY_SETTINGS =
  'Set INNKEEPER_SECRET to a new secret and INNKEEPER_SECRET_PREVIOUS to the current one, here and in every replica, restart the replicas, then run this again. ' +
  'Create a secret with: openssl rand -base64 48';

function secretRotate(): Command {
  return defineCommand({
    name: 'rotate',
    description:
      'seal everything under the new INNKEEPER_SECRET. All credentials stay valid, and the service can keep running. ' +
      'First restart every replica with the new secret as INNKEEPER_SECRET and the current one as INNKEEPER_SECRET_PREVIOUS. ' +
      'With the .secret file of SQLite, no restart is needed: a new secret is created there, and the current one is kept in .secret.previous. ' +
      'If interrupted, run it again',
    settings: STORAGE_SETTINGS,
    examples: [
      ['secret rotate', 'then remove INNKEEPER_SECRET_PREVIOUS and restart the replicas'],
      ['secret rotate --json', '{"outcome","rotatedAt","resealed","total","unreadable"}'],
      ['doctor', 'show the progress, and when the previous secret can be removed'],
    ],
  }).action(run);
}

async function run(options: CommandOptions): Promise<void> {
  await withStorage(options, async (open) => {
    await prepare(open);
    const { rotateMasterSecret } = await import('../domain/rotate-master-secret.ts');
    const progress = new Progress(options.json ? { write: () => {} } : process.stderr);
    const { storage, keyring, config, now } = open;
    const rotation = await rotateMasterSecret(storage, keyring, {
      now: now(),
      onProgress: (done, total) => progress.show(done, 'sealed', done / total),
    }).finally(() => progress.clear());
    const { outcome, rotatedAt, resealed, total, unreadable } = rotation;
    const time = rotatedAt === null ? null : formatTime(rotatedAt);
    printResult(options, { ...rotation, rotatedAt: time }, () => {
      const previous =
        config.secretFile === undefined
          ? 'remove INNKEEPER_SECRET_PREVIOUS and restart the replicas'
          : `delete ${config.secretFile}.previous and restart the service`;
      return [
        outcome === 'unchanged'
          ? `Nothing to do: ${counted(total, 'sealed record')}, all under the current secret.`
          : `Re-sealed ${counted(resealed, 'record')}: all ${total} are now under the new secret.`,
        ...(unreadable > 0 ? [`${counted(unreadable, 'record')} cannot be opened with either secret, as before.`] : []),
        `To stop accepting the previous secret, ${previous}.${time === null ? '' : ` Preference links from before ${time} UTC stop working then.`}`,
      ].join('\n');
    });
  });
}

/** Makes sure that there are two secrets, and that the new one is strong. */
async function prepare({ storage, keyring, config }: OpenStorage): Promise<void> {
  const { master } = keyring;
  const state = await checkSecret(storage, keyring);
  if (
    state.under === 'current' &&
    config.secretFile !== undefined &&
    (state.rotatedAt === undefined || state.isResealed) &&
    // What is still under the previous secret needs it: another new secret would replace its file.
    (await countSealed(storage, keyring)).left === 0
  ) {
    const { readPreviousSecret, readSecretFile, renewSecretFile } = await import('../secret-file.ts');
    renewSecretFile(config.secretFile, config.databaseUrl);
    master.use(readSecretFile(config.secretFile), readPreviousSecret(config.secretFile));
    return;
  }
  if (state.under === 'current' && master.previousId === undefined) {
    throw new Failure('there is no new secret to rotate to.', { remedy: BY_SETTINGS });
  }
  if (isWeakSecret(config.secret)) {
    throw new Failure('the new INNKEEPER_SECRET is weak: it needs at least 32 random characters.', {
      remedy: 'Create one with: openssl rand -base64 48',
    });
  }
}
