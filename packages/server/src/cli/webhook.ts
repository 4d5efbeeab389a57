import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Rotation } from '../domain/applications/application.ts';
import { MAX_PER_SECOND } from '../domain/webhooks/manage-webhooks.ts';
import { EVENT_TYPES, type WebhookChange } from '../storage/port.ts';
import { overlapOption, revokeOption, showOverlap } from './app-rotate-secret.ts';
import { APP_OPTION } from './catalog-options.ts';
import { defineGroup, defineManagementCommand, STORAGE_SETTINGS } from './command.ts';
import { UsageError } from './failure.ts';
import { bold, layOut, printResult, visible } from './output.ts';
import { webhookDeliveries, webhookResend, webhookTest } from './webhook-deliveries.ts';
import {
  EXAMPLE_IDS,
  showWebhook,
  WEBHOOK_ARGUMENT,
  type WebhookOptions,
  webhookList,
  webhookShow,
} from './webhook-show.ts';
import { withManagement } from './with-management.ts';

export function webhook(): Command {
  return defineGroup({
    name: 'webhook',
    description: 'send the events of an application to your endpoints (Standard Webhooks) and inspect deliveries',
    examples: [
      [
        'webhook create https://app.example.com/events --app 123456789_4f2c',
        'send all events; the secret is shown once',
      ],
      ['webhook test 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31 --app 123456789_4f2c', 'send a test event now'],
      ['webhook deliveries 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31 --app 123456789_4f2c --state failed', 'what failed'],
    ],
    commands: [
      webhookCreate(),
      webhookList(),
      webhookShow(),
      webhookSet(),
      webhookRotateSecret(),
      webhookTest(),
      webhookDeliveries(),
      webhookResend(),
      webhookDelete(),
    ],
  });
}

/** Creating a webhook checks the address of its endpoint. */
const SENDER_SETTINGS = [...STORAGE_SETTINGS, 'webhooksAllow'] as const;

const TYPES = `\n${bold('Types:')} ${EVENT_TYPES.join(', ')}`;

function webhookCreate(): Command {
  return defineManagementCommand({
    name: 'create',
    description: 'send events to an endpoint from now on; prints the signing secret once',
    settings: SENDER_SETTINGS,
    examples: [
      ['webhook create https://app.example.com/events --app 123456789_4f2c', 'send all events'],
      [
        'webhook create https://app.example.com/events --app 123456789_4f2c --type user.created --type user.deleted',
        'send these types',
      ],
      ['webhook create https://app.example.com/events --app 123456789_4f2c --json', '{"secret","webhookId","url",…}'],
    ],
  })
    .argument('<ENDPOINT>', 'https URL that receives the events; --url is the address of a remote service')
    .requiredOption(...APP_OPTION)
    .addOption(typeOption())
    .option('--description <text>', 'shown in lists, at most 255 characters')
    .addOption(rateOption())
    .addHelpText('after', TYPES)
    .action(create);
}

type CreateOptions = WebhookOptions & { type?: string[]; description?: string; maxPerSecond?: number | 'none' };

async function create(url: string, options: CreateOptions): Promise<void> {
  const { type: types = [], description = '', maxPerSecond = 'none' } = options;
  const made = await withManagement(options, ({ webhooks }) =>
    webhooks.create(options.app, { url, types, description, maxPerSecond: toLimit(maxPerSecond) }),
  );
  printResult(options, made, () =>
    [
      `Created a webhook for ${bold(visible(made.url))}.`,
      '',
      layOut(
        [
          ['webhookId', bold(made.webhookId)],
          ['secret', bold(made.secret)],
        ],
        { indent: 2 },
      ),
      '',
      'Save the secret now: it cannot be shown again. Verify signatures with it (https://www.standardwebhooks.com).',
      `Send a test event with: innkeeper webhook test ${made.webhookId} --app ${options.app}`,
    ].join('\n'),
  );
}

function webhookSet(): Command {
  return defineManagementCommand({
    name: 'set',
    description: 'change a webhook, or switch it off and on; omitted settings do not change',
    settings: SENDER_SETTINGS,
    examples: [
      [`webhook set ${EXAMPLE_IDS} --disable`, 'send nothing for now'],
      [`webhook set ${EXAMPLE_IDS} --enable`, 'continue where it stopped'],
      [
        'webhook set 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31 https://new.example.com/events --app 123456789_4f2c',
        'another endpoint',
      ],
      [`webhook set ${EXAMPLE_IDS} --max-per-second 20`, 'limit the rate for a slow receiver'],
      [`webhook set ${EXAMPLE_IDS} --type selection.saved --type selection.unset`, 'these types; replaces the list'],
    ],
  })
    .argument(...WEBHOOK_ARGUMENT)
    .argument('[ENDPOINT]', 'another https URL; --url is the address of a remote service')
    .requiredOption(...APP_OPTION)
    .addOption(typeOption())
    .addOption(new Option('--all-types', 'send events of all types').conflicts('type'))
    .option('--description <text>', 'shown in lists, at most 255 characters; empty removes it')
    .addOption(rateOption())
    .option('--enable', 'switch it on')
    .addOption(new Option('--disable', 'switch it off').conflicts('enable'))
    .addHelpText('after', TYPES)
    .action(set);
}

type SetOptions = WebhookOptions & {
  type?: string[];
  allTypes?: true;
  description?: string;
  maxPerSecond?: number | 'none';
  enable?: true;
  disable?: true;
};

async function set(id: string, url: string | undefined, options: SetOptions): Promise<void> {
  const { allTypes, description, maxPerSecond, enable, disable } = options;
  const types = allTypes ? [] : options.type;
  const change: WebhookChange = {
    ...(url !== undefined && { url }),
    ...(types && { types }),
    ...(description !== undefined && { description }),
    ...(maxPerSecond !== undefined && { maxPerSecond: toLimit(maxPerSecond) }),
    ...((enable || disable) && { enabled: enable === true }),
  };
  if (Object.keys(change).length === 0) {
    throw new UsageError('nothing to change.', {
      remedy: 'Specify an ENDPOINT, --type, --all-types, --description, --max-per-second, --enable or --disable.',
    });
  }
  const changed = await withManagement(options, ({ webhooks }) => webhooks.change(options.app, id, change));
  printResult(options, changed, () => `Changed the webhook. Changes apply within a second.\n\n${showWebhook(changed)}`);
}

function webhookDelete(): Command {
  return defineManagementCommand({
    name: 'delete',
    description: 'delete a webhook and the log of its deliveries',
    examples: [[`webhook delete ${EXAMPLE_IDS}`, 'nothing more is sent; `webhook set --disable` keeps it']],
  })
    .argument(...WEBHOOK_ARGUMENT)
    .requiredOption(...APP_OPTION)
    .action(async (id: string, options: WebhookOptions) => {
      const { webhookId, url } = await withManagement(options, async ({ webhooks }) => {
        const found = await webhooks.show(options.app, id);
        await webhooks.delete(options.app, id);
        return found;
      });
      printResult(options, { webhookId, url, deleted: true }, () => `Deleted the webhook for ${bold(visible(url))}.`);
    });
}

function webhookRotateSecret(): Command {
  return defineManagementCommand({
    name: 'rotate-secret',
    description: 'create a new secret; during the overlap each delivery is signed by both',
    examples: [
      [`webhook rotate-secret ${EXAMPLE_IDS}`, 'the previous secret stays valid for 24 hours'],
      [`webhook rotate-secret ${EXAMPLE_IDS} --overlap 0s`, 'it leaked: sign with the new secret only'],
      [`webhook rotate-secret ${EXAMPLE_IDS} --json`, '{"secret","previousExpiresAt"}'],
    ],
  })
    .argument(...WEBHOOK_ARGUMENT)
    .requiredOption(...APP_OPTION)
    .addOption(overlapOption())
    .addOption(revokeOption())
    .action(async (id: string, options: WebhookOptions & Rotation) => {
      const rotated = await withManagement(options, ({ webhooks }) => webhooks.rotateSecret(options.app, id, options));
      printResult(options, rotated, () =>
        [
          'Created a new secret for the webhook.',
          '',
          layOut([['secret', bold(rotated.secret)]], { indent: 2 }),
          '',
          'Save it now: it cannot be shown again.',
          showOverlap(options.overlap, rotated.previousExpiresAt),
        ].join('\n'),
      );
    });
}

function toLimit(given: number | 'none'): number | null {
  return given === 'none' ? null : given;
}

function rateOption(): Option {
  return new Option(
    '--max-per-second <number>',
    `maximum requests per second, 1 to ${MAX_PER_SECOND}, or none`,
  ).argParser((text: string) => {
    const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
    if (text === 'none') return text;
    if (number >= 1 && number <= MAX_PER_SECOND) return number;
    throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_PER_SECOND}, or none.`);
  });
}

function typeOption(): Option {
  return new Option('--type <type>', 'send events of this type; can be repeated').argParser(
    (type: string, before: string[] = []) => {
      if ((EVENT_TYPES as readonly string[]).includes(type)) return [...before, type];
      throw new InvalidArgumentError(`It must be one of ${EVENT_TYPES.join(', ')}.`);
    },
  );
}
