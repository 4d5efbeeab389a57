import type { Command } from 'commander';
import type { WebhookView } from '../http/manage/webhook-acts.ts';
import { APP_OPTION } from './catalog-options.ts';
import { type CommandOptions, defineManagementCommand } from './command.ts';
import { bold, dim, layOut, printResult, visible } from './output.ts';
import { withManagement } from './with-management.ts';

export type WebhookOptions = CommandOptions & { app: string };

export const WEBHOOK_ARGUMENT = ['<ID>', 'the WEBHOOK ID from `webhook list`'] as const;
/** For examples. */
export const EXAMPLE_IDS = '0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31 --app 123456789_4f2c';

export function webhookList(): Command {
  return defineManagementCommand({
    name: 'list',
    description: 'list the webhooks of an application, oldest first',
    examples: [
      ['webhook list --app 123456789_4f2c', 'print a table'],
      ['webhook list --app 123456789_4f2c --json', '[{"webhookId","url","types","enabled","recent",…}, …]'],
    ],
  })
    .requiredOption(...APP_OPTION)
    .action(list);
}

export function webhookShow(): Command {
  return defineManagementCommand({
    name: 'show',
    description: 'show a webhook and the state of its deliveries',
    examples: [
      [`webhook show ${EXAMPLE_IDS}`, 'print a summary'],
      [`webhook show ${EXAMPLE_IDS} --json`, '{"webhookId","url","types","enabled","offReason","recent",…}'],
    ],
  })
    .argument(...WEBHOOK_ARGUMENT)
    .requiredOption(...APP_OPTION)
    .action(async (id: string, options: WebhookOptions) => {
      const found = await withManagement(options, ({ webhooks }) => webhooks.show(options.app, id));
      printResult(options, found, () => showWebhook(found));
    });
}

async function list(options: WebhookOptions): Promise<void> {
  const webhooks = await withManagement(options, (management) => management.webhooks.list(options.app));
  printResult(options, webhooks, () => {
    if (webhooks.length === 0)
      return 'No webhooks yet.\nCreate one with: innkeeper webhook create https://app.example.com/events --app ID';
    const head = ['WEBHOOK ID', 'STATE', 'LAST SUCCESS (UTC)', 'FAILED', 'TYPES', 'ENDPOINT'].map(dim);
    return layOut([
      head,
      ...webhooks.map((each) => [
        each.webhookId,
        stateOf(each),
        each.lastSuccessAt ?? 'never',
        `${each.recent.failed} of ${each.recent.deliveries}`,
        each.types.length > 2 ? `${each.types.length} types` : typesOf(each),
        visible(each.url),
      ]),
    ]);
  });
}

export function showWebhook(webhook: WebhookView): string {
  const { webhookId, url, description, createdAt, previousSecretExpiresAt, lastSuccessAt, failingSince } = webhook;
  const { maxPerSecond } = webhook;
  const { deliveries, failed, pending } = webhook.recent;
  const utc = (time: string | null): string => (time === null ? 'never' : `${time} UTC`);
  return [
    bold(visible(url)),
    layOut(
      [
        ['webhookId', webhookId],
        ...(description === '' ? [] : [['description', visible(description)]]),
        ['types', typesOf(webhook)],
        ['state', stateOf(webhook)],
        ...(maxPerSecond === null ? [] : [['limit', `${maxPerSecond} requests a second`]]),
        ['created', utc(createdAt)],
        ['last success', utc(lastSuccessAt)],
        ...(failingSince === null ? [] : [['failing since', utc(failingSince)]]),
        ['latest deliveries', `${deliveries - failed} succeeded, ${failed} failed, ${pending} pending`],
        ...(previousSecretExpiresAt === null
          ? []
          : [['previous secret', `valid until ${utc(previousSecretExpiresAt)}`]]),
      ],
      { indent: 2 },
    ),
  ].join('\n');
}

function typesOf({ types }: WebhookView): string {
  return types.length === 0 ? 'all' : types.join(', ');
}

const OFF: Record<NonNullable<WebhookView['offReason']>, string> = {
  manual: 'off',
  gone: 'off: the endpoint responded with 410',
  failing: 'off: no success for five days',
};

function stateOf({ offReason, failingSince }: WebhookView): string {
  if (offReason !== null) return OFF[offReason];
  return failingSince === null ? 'on' : 'on, failing';
}
