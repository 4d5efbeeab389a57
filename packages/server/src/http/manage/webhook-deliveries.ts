import { InnkeeperError } from '../../domain/errors.ts';
import { toPublicEvents } from '../../domain/events/public-event.ts';
import type { Service } from '../../domain/service.ts';
import { testEvent } from '../../domain/webhooks/manage-webhooks.ts';
import { Type } from '../../schema.ts';
import type { DeliveryRecord, WebhookRecord } from '../../storage/port.ts';
import { NewestFirstMembers, NewestFirstQuery, newestFirst } from './input.ts';
import type { ApplicationRequest, ManageRoutes } from './manage-route.ts';
import { Nullable } from './schemas.ts';
import { webhookActs } from './webhook-acts.ts';
import { DeliveryParams, DeliveryShape, WebhookParams } from './webhook-shapes.ts';
import { webhookOf } from './webhooks.ts';
import { hidesAddresses, withoutAddress } from './without-addresses.ts';

const STATES = ['pending', 'succeeded', 'failed'] as const;

const TEST_SECONDS = 10;

const Response = Nullable(Type.String({ description: 'the first kilobyte of the response' }));

export function webhookDeliveryRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  const acts = webhookActs(service);

  /** Applications with a test in flight: one at a time for each. */
  const testing = new Set<number>();

  /** What was sent to a webhook, and its responses. Events contain personal data. */
  applicationRoute('GET', '/webhooks/:webhookId/deliveries', {
    operationId: 'listDeliveries',
    access: 'users',
    summary: 'List what was sent to a webhook, newest first',
    description: 'Kept for 7 days after the last attempt.',
    params: WebhookParams,
    querystring: Type.Object({ state: Type.Optional(Type.Enum([...STATES])), ...NewestFirstQuery }),
    response: {
      200: Type.Object({
        items: Type.Array(Type.Object(DeliveryShape, { title: 'WebhookDelivery' })),
        ...NewestFirstMembers,
      }),
    },
    errors: ['webhookNotFound'],
    async handle(context) {
      const { state, ...rest } = context.readQuery();
      const filter = { ...(state !== undefined && { state }) };
      return acts.deliveries(...webhookOf(context), filter, newestFirst(rest));
    },
  });

  const one = '/webhooks/:webhookId/deliveries/:deliveryId';

  applicationRoute('GET', one, {
    operationId: 'getDelivery',
    access: 'users',
    summary: 'Get a delivery with its request and response',
    params: DeliveryParams,
    response: {
      200: Type.Object(
        {
          ...DeliveryShape,
          request: Nullable(
            Type.String({ description: 'the body as it would be sent now; null: the event is no longer kept' }),
          ),
          response: Response,
        },
        { title: 'WebhookDeliveryWithBodies' },
      ),
    },
    errors: ['webhookNotFound', 'deliveryNotFound'],
    async handle(context) {
      const { webhook, delivery, view } = await acts.delivery(...webhookOf(context), context.params.deliveryId);
      const { userId } = delivery;
      const { application, manager } = context;
      if (userId !== null) await service.userReads.record({ actor: manager.author, appId: application.appId, userId });
      const request = await requestOf(service, context, webhook, delivery);
      return { ...view, request, response: delivery.body };
    },
  });

  applicationRoute('POST', `${one}/resend`, {
    operationId: 'resendDelivery',
    summary: 'Send a delivery again, now',
    description: 'With the same event id. If it fails, it is retried as a new one.',
    params: DeliveryParams,
    response: { 200: Type.Object(DeliveryShape) },
    errors: ['webhookNotFound', 'deliveryNotFound', 'webhookIsOff', 'deliveryIsTest'],
    handle: async (context) => acts.resend(...webhookOf(context), context.params.deliveryId),
  });

  applicationRoute('POST', '/webhooks/:webhookId/test', {
    operationId: 'testWebhook',
    summary: 'Send a test event to a webhook and wait for its response',
    description:
      'Its type is webhook.test. A webhook that is off can be tested too. One test of an application at a time.',
    params: WebhookParams,
    response: { 200: Type.Object({ ...DeliveryShape, response: Response }, { title: 'WebhookTest' }) },
    errors: ['webhookNotFound', 'testInFlight'],
    async handle(context) {
      const { application } = context;
      const [appId, webhookId] = webhookOf(context);
      if (testing.has(appId)) {
        throw new InnkeeperError('testInFlight', { headers: { 'retry-after': String(TEST_SECONDS) } });
      }
      testing.add(appId);
      try {
        return await acts.test(application, webhookId);
      } finally {
        testing.delete(appId);
      }
    },
  });
}

/** The request as it would be sent now: for a user deleted since, only ids. */
async function requestOf(
  service: Service,
  { application, manager }: ApplicationRequest,
  { webhookId }: WebhookRecord,
  { eventNo, deliveryId, createdAt }: DeliveryRecord,
): Promise<string | null> {
  if (eventNo === null) return testEvent({ clientId: application.clientId, webhookId, deliveryId, createdAt }).body;
  const events = await service.storage.events.find(application.appId, [eventNo]);
  const [item] = await toPublicEvents(service, application, events);
  const replace = hidesAddresses(manager.accessTo(application.appId)) ? withoutAddress : undefined;
  return item ? JSON.stringify(item.event, replace) : null;
}
