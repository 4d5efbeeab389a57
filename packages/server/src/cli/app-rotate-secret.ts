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
    description: 'create a new clientSecret; the previous one stays valid for the overlap',
    settings: STORAGE_SETTINGS,
    remote: true,
    examples: [
      ['app rotate-secret 123456789_4f2c', 'the previous secret stays valid for 24 hours'],
      ['app rotate-secret 123456789_4f2c --overlap 0s', 'it leaked: revoke the previous secret now'],
      ['app rotate-secret 123456789_4f2c --overlap 7d --json', '{"clientSecret","previousExpiresAt"}'],
    ],
  })
    .argument('<ID>', 'clientId of the application')
    .addOption(overlapOption())
    .action(run);
}

export function overlapOption(): Option {
  return new Option('--overlap <time>', 'how long the previous secret stays valid: 0s, 30m, 24h, up to 30d')
    .argParser(readOverlap)
    .default(86_400, '24h');
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
      `Created a new clientSecret for ${bold(visible(before.name))}.`,
      '',
      layOut([['clientSecret', bold(clientSecret)]], { indent: 2 }),
      '',
      'Save it now: it is not stored and cannot be shown again.',
      showOverlap(options.overlap, previousExpiresAt),
      ...(droppedOlder ? ['The one before that has stopped working: at most two can be valid.'] : []),
    ].join('\n');
  });
}

export function showOverlap(seconds: number, until: string): string {
  if (seconds === 0) return 'The previous secret has stopped working.';
  return `The previous secret is valid for another ${showDuration(seconds)}, until ${until} UTC.`;
}

function readOverlap(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) throw new InvalidArgumentError(`It must be ${DURATION_FORM}.`);
  if (seconds > MAX_OVERLAP_SECONDS) throw new InvalidArgumentError('The maximum is 30d.');
  return seconds;
}
