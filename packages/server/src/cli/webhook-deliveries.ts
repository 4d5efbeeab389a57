import { type Command, InvalidArgumentError, Option } from 'commander';
import type { DeliveryView } from '../http/manage/webhook-acts.ts';
import type { DeliveryFilter } from '../storage/port.ts';
import { readUuid } from '../uuid.ts';
import { APP_OPTION } from './catalog-options.ts';
import { defineManagementCommand, STORAGE_SETTINGS } from './command.ts';
import { bold, dim, layOut, printResult, visible } from './output.ts';
import { EXAMPLE_IDS, WEBHOOK_ARGUMENT, type WebhookOptions } from './webhook-show.ts';
import { withManagement } from './with-management.ts';

/** Maximum per request to a service. */
const MAX = 200;

export function webhookTest(): Command {
  return defineManagementCommand({
    name: 'test',
    description: 'send a test event (webhook.test) and wait for the response; also while the webhook is off',
    settings: [...STORAGE_SETTINGS, 'webhooksAllow'],
    examples: [
      [`webhook test ${EXAMPLE_IDS}`, 'exit code 1 unless the endpoint responds with 2xx within 10 seconds'],
      [`webhook test ${EXAMPLE_IDS} --json`, '{"deliveryId","eventId","state","status","problem","response",…}'],
    ],
  })
    .argument(...WEBHOOK_ARGUMENT)
    .requiredOption(...APP_OPTION)
    .action(async (id: string, options: WebhookOptions) => {
      const sent = await withManagement(options, ({ webhooks }) => webhooks.test(options.app, id));
      const succeeded = sent.state === 'succeeded';
      printResult(options, sent, () => {
        const outcome = `${bold(succeeded ? 'Succeeded' : 'Failed')}: ${responseOf(sent)}.`;
        return succeeded || !sent.response ? outcome : `${outcome}\n\n${visible(sent.response)}`;
      });
      if (!succeeded) process.exitCode = 1;
    });
}

export function webhookDeliveries(): Command {
  return defineManagementCommand({
    name: 'deliveries',
    description: 'list what was sent to a webhook, newest first; kept for 7 days',
    examples: [
      [`webhook deliveries ${EXAMPLE_IDS}`, 'print the latest 20'],
      [`webhook deliveries ${EXAMPLE_IDS} --state failed --limit 200`, 'what failed'],
      [`webhook deliveries ${EXAMPLE_IDS} --json`, '{"items":[{"deliveryId","eventId","type","state",…}],"next"}'],
    ],
  })
    .argument(...WEBHOOK_ARGUMENT)
    .requiredOption(...APP_OPTION)
    .addOption(new Option('--state <state>', 'only these').choices(['pending', 'succeeded', 'failed']))
    .option('--limit <n>', `number of deliveries, at most ${MAX}`, readLimit, 20)
    .option('--after <ID>', '`next` of the previous page', readId)
    .action(list);
}

export function webhookResend(): Command {
  return defineManagementCommand({
    name: 'resend',
    description: 'send a delivery again, with the same event id; a running service sends it now',
    examples: [
      [
        'webhook resend 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31 0198c5a6-4c65-7fb7-8d2e-179cadbecfd6 --app 123456789_4f2c',
        'if it fails, it is retried as a new one',
      ],
    ],
  })
    .argument(...WEBHOOK_ARGUMENT)
    .argument('<DELIVERY>', 'the DELIVERY ID from `webhook deliveries`')
    .requiredOption(...APP_OPTION)
    .action(async (id: string, deliveryId: string, options: WebhookOptions) => {
      const resent = await withManagement(options, ({ webhooks }) => webhooks.resend(options.app, id, deliveryId));
      printResult(options, resent, () => `Delivery ${resent.deliveryId} (${visible(resent.type)}) is sent again.`);
    });
}

type ListOptions = WebhookOptions & DeliveryFilter & { limit: number; after?: string };

async function list(id: string, options: ListOptions): Promise<void> {
  const { state, limit, after } = options;
  const page = { limit, ...(state && { state }), ...(after && { after }) };
  const { items, next } = await withManagement(options, ({ webhooks }) => webhooks.deliveries(options.app, id, page));
  printResult(options, { items, next }, () => {
    if (items.length === 0) return 'No deliveries.';
    const head = ['DELIVERY ID', 'CREATED (UTC)', 'TYPE', 'STATE', 'TRIES', 'RESPONSE'].map(dim);
    const rows = items.map((each) => [
      each.deliveryId,
      each.createdAt,
      visible(each.type),
      each.state,
      String(each.attempts),
      describe(each),
    ]);
    return layOut([head, ...rows]) + (next === null ? '' : `\n${dim(`More with: --after ${next}`)}`);
  });
}

function describe(delivery: DeliveryView): string {
  const { lastAt, nextAt } = delivery;
  if (lastAt === null) return '';
  return nextAt === null ? responseOf(delivery) : `${responseOf(delivery)}; next try ${nextAt}`;
}

function responseOf({ status, problem, milliseconds }: DeliveryView): string {
  const outcome = status === null ? `no response (${problem})` : `HTTP ${status}`;
  return milliseconds === null ? outcome : `${outcome} in ${milliseconds} ms`;
}

function readLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > MAX) throw new InvalidArgumentError(`It must be a number from 1 to ${MAX}.`);
  return limit;
}

function readId(text: string): string {
  const id = readUuid(text);
  if (id === undefined) throw new InvalidArgumentError('It must be the id of a delivery.');
  return id;
}
