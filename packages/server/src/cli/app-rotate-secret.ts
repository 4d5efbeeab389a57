import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Rotation } from '../domain/applications/application.ts';
import { DURATION_FORM, parseDuration } from '../time.ts';
import { type CommandOptions, defineManagementCommand } from './command.ts';
import { Failure } from './failure.ts';
import type { ShownApplication } from './management.ts';
import { bold, layOut, printResult, showDuration, visible } from './output.ts';
import { WHILE_PREVIOUS_IS_VALID } from './refusals.ts';
import { withManagement } from './with-management.ts';

const MAX_OVERLAP_SECONDS = 30 * 86_400;

export function appRotateSecret(): Command {
  return defineManagementCommand({
    name: 'rotate-secret',
    description: 'create a new clientSecret; the previous one stays valid for the overlap',
    examples: [
      ['app rotate-secret 123456789_4f2c', 'the previous secret stays valid for 24 hours'],
      ['app rotate-secret 123456789_4f2c --overlap 0s', 'it leaked: only the new secret is valid'],
      ['app rotate-secret 123456789_4f2c --overlap 7d --json', '{"clientSecret","previousExpiresAt"}'],
    ],
  })
    .argument('<ID>', 'clientId of the application')
    .addOption(overlapOption())
    .addOption(revokeOption())
    .action(run);
}

export function overlapOption(): Option {
  return new Option('--overlap <time>', 'how long the previous secret stays valid: 0s, 30m, 24h, up to 30d')
    .argParser(readOverlap)
    .default(86_400, '24h');
}

export function revokeOption(): Option {
  return new Option('--revoke-previous', 'rotate although the previous secret is still valid, and revoke it');
}

type Options = CommandOptions & Rotation;

async function run(clientId: string, options: Options): Promise<void> {
  const { before, rotated } = await withManagement(options, async ({ applications }) => {
    const before = await applications.show(clientId);
    const rotated = await applications.rotateSecret(clientId, options);
    if (rotated === undefined) throw previousIsValid(await applications.show(clientId));
    return { before, rotated };
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

function previousIsValid({ secrets }: ShownApplication): Failure {
  const until = secrets.find(({ expiresAt }) => expiresAt !== null)?.expiresAt;
  return new Failure(
    `the previous secret is still valid${until ? `, until ${until} UTC` : ''}, and another rotation would revoke it. Nothing was changed.`,
    { remedy: WHILE_PREVIOUS_IS_VALID },
  );
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
