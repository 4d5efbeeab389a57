import { InnkeeperError } from '../../domain/errors.ts';
import { toPublicEvents } from '../../domain/events/public-event.ts';
import { includesAccess } from '../../domain/manage/access.ts';
import type { Service } from '../../domain/service.ts';
import { findWebhook, MAX_WEBHOOKS, testEvent } from '../../domain/webhooks/manage-webhooks.ts';
import { Nullable, Type } from '../../schema.ts';
import type { DeliveryRecord, WebhookRecord } from '../../storage/port.ts';
import { RotationMembers, readRotation } from './applications.ts';
import { NewestFirstMembers, NewestFirstQuery, newestFirst, readTime, refuse } from './input.ts';
import type { ApplicationRequest, ManageRoutes } from './manage-route.ts';
import { Time } from './schemas.ts';
import { hidesAddresses, withoutAddress } from './views.ts';
import {
  DeliveryParams,
  DeliveryShape,
  MaxPerSecondShape,
  OF_WEBHOOK,
  TypesShape,
  WebhookShape,
  webhookActs,
} from './webhook-acts.ts';

const members = {
  types: Type.Optional(TypesShape),
  description: Type.Optional(Type.String({ description: 'at most 255 characters' })),
  maxPerSecond: Type.Optional(MaxPerSecondShape),
};

const Url = Type.String({ description: 'https, leading to a public address; redirects are not followed' });

/** Where events of an application are sent. */
export function webhookRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  const { storage, now } = service;
  const acts = webhookActs(service);
  const one = '/webhooks/:webhookId';
  /** This process's dispatcher need not wait for its next poll. */
  const refresh = () => service.refresh().catch(() => {});

  applicationRoute('GET', '/webhooks', {
    operationId: 'listWebhooks',
    summary: 'List the webhooks of an application, oldest first',
    response: { 200: Type.Object({ items: Type.Array(WebhookShape) }) },
    handle: async (context) => ({
      items: (await acts.list(context.application.appId)).map((webhook) => shownTo(context, webhook)),
    }),
  });

  applicationRoute('POST', '/webhooks', {
    operationId: 'createWebhook',
    summary: 'Send events to a URL',
    description: `From now on, as Standard Webhooks. The secret is shown only in this response. At most ${MAX_WEBHOOKS} per application.`,
    body: Type.Object({ url: Url, ...members }),
    response: {
      201: Type.Object({
        secret: Type.String({ description: 'verifies signatures: whsec_…' }),
        ...WebhookShape.properties,
      }),
    },
    errors: ['tooManyWebhooks'],
    async handle(context) {
      const { url, types = [], description = '', maxPerSecond = null } = context.readBody();
      const wanted = { url, types, description, maxPerSecond };
      const created = await acts.create(context.application, wanted, context.checkAccess);
      await refresh();
      return created;
    },
  });

  applicationRoute('GET', one, {
    operationId: 'getWebhook',
    summary: 'Get a webhook with the state of its deliveries',
    ...OF_WEBHOOK,
    response: { 200: WebhookShape },
    handle: async (context) => shownTo(context, await acts.show(...webhookOf(context))),
  });

  applicationRoute('PATCH', one, {
    operationId: 'changeWebhook',
    summary: 'Change a webhook, or switch it off and on',
    description: 'Omitted members stay as they are. A webhook that is switched on again continues where it stopped.',
    ...OF_WEBHOOK,
    body: Type.Object({ url: Type.Optional(Url), ...members, enabled: Type.Optional(Type.Boolean()) }),
    response: { 200: WebhookShape },
    async handle(context) {
      const changed = await acts.change(...webhookOf(context), context.readBody(), context.checkAccess);
      await refresh();
      return changed;
    },
  });

  applicationRoute('DELETE', one, {
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook and its deliveries',
    ...OF_WEBHOOK,
    response: { 204: Type.Null({ description: 'Deleted.' }) },
    async handle(context) {
      await acts.delete(...webhookOf(context));
      await refresh();
    },
  });

  applicationRoute('POST', `${one}/rotate-secret`, {
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    description:
      'The new secret is shown only in this response. During the overlap each delivery has two signatures, by the new secret and by the previous one. While an older one is still valid, another rotation is refused, unless revokePrevious is true or the overlap is 0.',
    ...OF_WEBHOOK,
    body: Type.Object(RotationMembers),
    response: { 201: Type.Object({ secret: Type.String(), previousExpiresAt: Time }) },
    errors: [...OF_WEBHOOK.errors, 'previousSecretValid'],
    handle: async (context) =>
      acts.rotateSecret(...webhookOf(context), readRotation(context.body.length === 0 ? {} : context.readBody())),
  });

  applicationRoute('POST', `${one}/replay`, {
    operationId: 'replayWebhook',
    summary: 'Send the events since a time again',
    description: 'Those that are still kept, with their ids, in order; then the webhook continues as before.',
    ...OF_WEBHOOK,
    body: Type.Object({ since: Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS' }) }),
    response: { 200: WebhookShape },
    errors: [...OF_WEBHOOK.errors, 'webhookIsOff'],
    // The example uses an unknown webhook: the deliveries of an existing one depend on timing.
    async handle(context) {
      const since = readTime(context.readBody().since, 'since');
      if (since > now()) throw refuse('since', 'must not be in the future');
      const { appId, webhookId, off } = await findWebhook(service, ...webhookOf(context));
      if (off !== null) throw new InnkeeperError('webhookIsOff');
      const outcome = await storage.webhooks.replay(appId, webhookId, { after: 0, since });
      if (outcome === 'unknown') throw new InnkeeperError('webhookNotFound');
      await refresh();
      return acts.show(appId, webhookId);
    },
  });
}

function shownTo<T extends { url: string }>({ application, manager }: ApplicationRequest, webhook: T): T {
  return includesAccess(manager.accessTo(application.appId), 'write') ? webhook : withoutPath(webhook);
}

/** Paths and queries of webhooks often contain a secret: without access "write" only the host is shown. */
export function withoutPath<T extends { url: string }>(webhook: T): T {
  return { ...webhook, url: `${new URL(webhook.url).origin}/…` };
}

/** The webhook that the path names. */
function webhookOf({
  application,
  params,
}: ApplicationRequest<undefined, undefined, 'webhookId'>): [appId: number, webhookId: string] {
  return [application.appId, params.webhookId];
}

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
    ...OF_WEBHOOK,
    querystring: Type.Object({ state: Type.Optional(Type.Enum([...STATES])), ...NewestFirstQuery }),
    response: {
      200: Type.Object({
        items: Type.Array(Type.Object(DeliveryShape, { title: 'WebhookDelivery' })),
        ...NewestFirstMembers,
      }),
    },
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
    errors: [...OF_WEBHOOK.errors, 'deliveryNotFound'],
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
    errors: [...OF_WEBHOOK.errors, 'deliveryNotFound', 'webhookIsOff', 'deliveryIsTest'],
    handle: async (context) => acts.resend(...webhookOf(context), context.params.deliveryId),
  });

  applicationRoute('POST', '/webhooks/:webhookId/test', {
    operationId: 'testWebhook',
    summary: 'Send a test event to a webhook and wait for its response',
    description:
      'Its type is webhook.test. A webhook that is off can be tested too. One test of an application at a time.',
    ...OF_WEBHOOK,
    response: { 200: Type.Object({ ...DeliveryShape, response: Response }, { title: 'WebhookTest' }) },
    errors: [...OF_WEBHOOK.errors, 'testInFlight'],
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
