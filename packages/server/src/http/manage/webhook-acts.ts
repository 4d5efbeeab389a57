import type { Rotation } from '../../domain/applications/application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { eventId } from '../../domain/events/public-event.ts';
import {
  createWebhook,
  findDelivery,
  findWebhook,
  MAX_PER_SECOND,
  readWebhook,
  resendDelivery,
  rotateWebhookSecret,
  testEventId,
  testWebhook,
  type WantedWebhook,
  type WebhookService,
} from '../../domain/webhooks/manage-webhooks.ts';
import { SEND_PROBLEMS } from '../../domain/webhooks/send-event.ts';
import { Nullable, Type } from '../../schema.ts';
import {
  type DeliveryFilter,
  type DeliveryRecord,
  EVENT_TYPES,
  type WebhookChange,
  type WebhookHealth,
  type WebhookRecord,
} from '../../storage/port.ts';
import { formatTime } from '../../time.ts';
import { Time } from './schemas.ts';

type Page = { before: string | null; limit: number };

/** Operations on webhooks with the responses of /manage/v1: for its routes, and for the command line on a database. */
export function webhookActs(service: WebhookService) {
  const { storage, now } = service;

  const show = async (appId: number, given: string) => {
    const { webhookId } = await findWebhook(service, appId, given);
    const health = await storage.webhooks.health(appId, RECENT);
    const found = await findWebhook(service, appId, webhookId);
    return viewWebhook(
      found,
      health.find((each) => each.webhookId === webhookId),
      now(),
    );
  };

  const read = async <T extends WebhookChange>(wanted: T, checkAccess?: () => Promise<void>): Promise<T> => {
    const webhook = await readWebhook(service, wanted);
    // Looking up its host takes as long as its name server likes: access may have been revoked meanwhile.
    await checkAccess?.();
    return webhook;
  };

  return {
    show,

    async list(appId: number) {
      const health = new Map((await storage.webhooks.health(appId, RECENT)).map((each) => [each.webhookId, each]));
      const webhooks = await storage.webhooks.list(appId);
      return webhooks.map((each) => viewWebhook(each, health.get(each.webhookId), now()));
    },

    async create(application: { appId: number }, wanted: WantedWebhook, checkAccess?: () => Promise<void>) {
      const { webhook, secret } = await createWebhook(service, application, await read(wanted, checkAccess));
      return { secret, ...viewWebhook(webhook, undefined, now()) };
    },

    async change(appId: number, given: string, wanted: WebhookChange, checkAccess?: () => Promise<void>) {
      const { webhookId } = await findWebhook(service, appId, given);
      const outcome = await storage.webhooks.update(appId, webhookId, await read(wanted, checkAccess));
      if (outcome === 'unknown') throw new InnkeeperError('webhookNotFound');
      return show(appId, webhookId);
    },

    async delete(appId: number, given: string): Promise<void> {
      const { webhookId } = await findWebhook(service, appId, given);
      if ((await storage.webhooks.delete(appId, webhookId)) === 'unknown') throw new InnkeeperError('webhookNotFound');
    },

    async rotateSecret(appId: number, given: string, rotation: Rotation) {
      const webhook = await findWebhook(service, appId, given);
      const { secret, previousExpiresAt } = await rotateWebhookSecret(service, webhook, rotation);
      return { secret, previousExpiresAt: formatTime(previousExpiresAt) };
    },

    async test(application: { appId: number; clientId: string }, given: string) {
      const webhook = await findWebhook(service, application.appId, given);
      const { body, ...delivery } = await testWebhook(service, application, webhook);
      return { ...view(delivery), response: body };
    },

    async deliveries(appId: number, given: string, filter: DeliveryFilter, { before, limit }: Page) {
      const { webhookId } = await findWebhook(service, appId, given);
      const found = await storage.deliveries.list(webhookId, filter, { before, limit: limit + 1 });
      const items = found.slice(0, limit);
      const next = found.length > items.length ? (items.at(-1)?.deliveryId ?? null) : null;
      return { items: items.map(view), limit, next };
    },

    async delivery(appId: number, given: string, deliveryId: string) {
      const webhook = await findWebhook(service, appId, given);
      const delivery = await findDelivery(service, webhook, deliveryId);
      return { webhook, delivery, view: view(delivery) };
    },

    async resend(appId: number, given: string, deliveryId: string) {
      const webhook = await findWebhook(service, appId, given);
      const delivery = await findDelivery(service, webhook, deliveryId);
      await resendDelivery(service, webhook, delivery.deliveryId);
      return view(await findDelivery(service, webhook, delivery.deliveryId));
    },
  };
}

export type WebhookView = Awaited<ReturnType<ReturnType<typeof webhookActs>['show']>>;
export type DeliveryView = ReturnType<typeof view>;

/** What the operations on one webhook have in common. */
export const OF_WEBHOOK = {
  params: Type.Object({ webhookId: Type.String({ format: 'uuid' }) }),
  errors: ['webhookNotFound'],
} as const;
export const DeliveryParams = Type.Object({
  ...OF_WEBHOOK.params.properties,
  deliveryId: Type.String({ format: 'uuid' }),
});

export const TypesShape = Type.Array(Type.Enum([...EVENT_TYPES]), { description: 'event types; empty: all' });
export const MaxPerSecondShape = Nullable(
  Type.Integer({ minimum: 1, maximum: MAX_PER_SECOND, description: 'maximum requests per second; null: no limit' }),
);
/** How many recent deliveries count. */
const RECENT = 100;

export const WebhookShape = Type.Object(
  {
    webhookId: Type.String({ format: 'uuid' }),
    url: Type.String({ description: 'only the host without access "write"' }),
    types: TypesShape,
    description: Type.String(),
    maxPerSecond: MaxPerSecondShape,
    enabled: Type.Boolean(),
    offReason: Nullable(
      Type.Enum(['manual', 'gone', 'failing'], {
        description: 'manual: by a member; gone: the receiver responded with 410; failing: five days without success',
      }),
    ),
    createdAt: Time,
    previousSecretExpiresAt: Nullable(
      Type.String({ description: 'until then, deliveries are signed by the previous secret too' }),
    ),
    lastSuccessAt: Nullable(Type.String({ description: 'null: never' })),
    failingSince: Nullable(Type.String({ description: 'the first failure since the last success' })),
    recent: Type.Object({
      deliveries: Type.Integer({ description: `of the latest that have ended, at most ${RECENT}` }),
      failed: Type.Integer(),
      pending: Type.Integer({ description: `not ended; counted up to ${RECENT}` }),
    }),
  },
  { title: 'Webhook' },
);

const time = (at: number | null): string | null => (at === null ? null : formatTime(at));

function viewWebhook(webhook: WebhookRecord, health: WebhookHealth | undefined, now: number) {
  const { webhookId, url, types, description, maxPerSecond, off, createdAt, previousSecret } = webhook;
  const { lastSuccessAt, failingSince } = webhook;
  return {
    webhookId,
    url,
    types,
    description,
    maxPerSecond,
    enabled: off === null,
    offReason: off,
    createdAt: formatTime(createdAt),
    previousSecretExpiresAt: previousSecret && previousSecret.expiresAt > now ? time(previousSecret.expiresAt) : null,
    lastSuccessAt: time(lastSuccessAt),
    failingSince: time(failingSince),
    recent: { deliveries: health?.recent ?? 0, failed: health?.failed ?? 0, pending: health?.open ?? 0 },
  };
}

export const DeliveryShape = {
  deliveryId: Type.String({ format: 'uuid' }),
  eventId: Type.String({ description: 'the header webhook-id' }),
  type: Type.String({ description: 'of the event; webhook.test: a test' }),
  userUid: Nullable(Type.String({ format: 'uuid', description: 'the user it is about' })),
  state: Type.Enum(['pending', 'succeeded', 'failed']),
  createdAt: Time,
  attempts: Type.Integer({ description: 'since it was first sent, or sent again' }),
  nextAt: Nullable(
    Type.String({
      description: 'when it is tried again; null and pending: now, or after an earlier event of the user',
    }),
  ),
  lastAt: Nullable(Type.String({ description: 'of the latest attempt' })),
  status: Nullable(Type.Integer({ description: 'HTTP status of the response; null: there was none' })),
  problem: Nullable(Type.Enum([...SEND_PROBLEMS], { description: 'why there was no response' })),
  milliseconds: Nullable(Type.Integer()),
};

function view(delivery: DeliveryRecord) {
  const { deliveryId, eventNo, type, userId, state, createdAt, attempts, nextAt, lastAt } = delivery;
  const { status, problem, milliseconds } = delivery;
  return {
    deliveryId,
    eventId: eventNo === null ? testEventId(deliveryId) : eventId(eventNo),
    type,
    userUid: userId,
    state: state === 'succeeded' || state === 'failed' ? state : 'pending',
    createdAt: formatTime(createdAt),
    attempts,
    nextAt: time(nextAt),
    lastAt: time(lastAt),
    status,
    problem,
    milliseconds,
  };
}
