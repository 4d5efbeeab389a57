import { MAX_PER_SECOND } from '../../domain/webhooks/manage-webhooks.ts';
import { SEND_PROBLEMS } from '../../domain/webhooks/sender.ts';
import { Type } from '../../schema.ts';
import { type DeliveryRecord, EVENT_TYPES, type WebhookHealth, type WebhookRecord } from '../../storage/port.ts';
import { formatTime } from '../time.ts';
import { Nullable, Time } from './schemas.ts';

export const WebhookParams = Type.Object({ webhookId: Type.String({ format: 'uuid' }) });
export const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  deliveryId: Type.String({ format: 'uuid' }),
});

export const TypesShape = Type.Array(Type.Enum([...EVENT_TYPES]), { description: 'event types; empty: all' });
export const MaxPerSecondShape = Nullable(
  Type.Integer({ minimum: 1, maximum: MAX_PER_SECOND, description: 'maximum requests per second; null: no limit' }),
);
/** How many recent deliveries count. */
export const RECENT = 100;

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
        description: 'manual: by a member; gone: the receiver answered 410; failing: five days without success',
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

export function viewWebhook(webhook: WebhookRecord, health: WebhookHealth | undefined, now: number) {
  const { webhookId, url, types, description, maxPerSecond, off, createdAt, previousSecret } = webhook;
  const { lastSuccessAt, failingSince } = webhook;
  const time = (at: number | null): string | null => (at === null ? null : formatTime(at));
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

export function viewDelivery(delivery: DeliveryRecord, eventId: string) {
  const { deliveryId, type, userId, state, createdAt, attempts, nextAt, lastAt } = delivery;
  const { status, problem, milliseconds } = delivery;
  return {
    deliveryId,
    eventId,
    type,
    userUid: userId,
    state: state === 'succeeded' || state === 'failed' ? state : 'pending',
    createdAt: formatTime(createdAt),
    attempts,
    nextAt: nextAt === null ? null : formatTime(nextAt),
    lastAt: lastAt === null ? null : formatTime(lastAt),
    status,
    problem,
    milliseconds,
  };
}
