import { type Command, InvalidArgumentError, Option } from 'commander';
import { DURATION_FORM, parseDuration } from '../domain/duration.ts';
import { type CommandOptions, defineCommand, STORAGE_SETTINGS } from './command.ts';
import { withManagement } from './management.ts';
import { bold, printResult } from './print.ts';
import { layOut, visible } from './table.ts';
import { showDuration } from './time.ts';

const MAX_OVERLAP_SECONDS = 30 * 86_400;

export function appRotateSecret(): Command {
  return defineCommand({
    name: 'rotate-secret',
    description: 'give an application a new clientSecret; the one before stays good for the overlap',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['app rotate-secret 123456789_4f2c', 'callers have 24 hours to change over'],
      ['app rotate-secret 123456789_4f2c --overlap 0s', 'it leaked: the one before stops at once'],
      ['app rotate-secret 123456789_4f2c --overlap 7d --json', '{"clientSecret","previousExpiresAt"}'],
    ],
  })
    .argument('<ID>', 'its clientId')
    .addOption(
      new Option('--overlap <time>', 'how long the secret before stays good: 0s, 30m, 24h, up to 30d')
        .argParser(readOverlap)
        .default(86_400, '24h'),
    )
    .action(run);
}

async function run(clientId: string, options: CommandOptions & { overlap: number }): Promise<void> {
  const { before, rotated } = await withManagement(options, async ({ applications }) => {
    const before = await applications.show(clientId);
    return { before, rotated: await applications.rotateSecret(clientId, options.overlap) };
  });
  const { clientSecret, previousExpiresAt } = rotated;
  printResult(options, { clientSecret, previousExpiresAt }, () => {
    const droppedOlder = before.secrets.some(({ expiresAt }) => expiresAt !== null);
    return [
      `Made a new clientSecret for ${bold(visible(before.name))}.`,
      '',
      layOut([['clientSecret', bold(clientSecret)]], { indent: 2 }),
      '',
      'Keep it now: it is not stored and cannot be shown again.',
      options.overlap === 0
        ? 'The secret before it has stopped working.'
        : `The secret before it is good for another ${showDuration(options.overlap)}, until ${previousExpiresAt} UTC.`,
      ...(droppedOlder ? ['The one before that, still in its own overlap, has stopped working: two can be live.'] : []),
    ].join('\n');
  });
}

function readOverlap(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw new InvalidArgumentError(`It must be ${DURATION_FORM}.`);
  if (seconds > MAX_OVERLAP_SECONDS) throw new InvalidArgumentError('It must be at most 30d.');
  return seconds;
}
