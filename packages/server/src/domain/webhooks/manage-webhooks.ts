import {
  type DeliveryRecord,
  type DeliveryWithBody,
  EVENT_TYPES,
  type ReadPosition,
  type Storage,
  type WebhookChange,
  type WebhookRecord,
} from '../../storage/port.ts';
import { orderedUuid, readUuid } from '../../uuid.ts';
import { type Application, type Rotation, rotateUnlessInUse } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import { displayNameProblem } from '../required.ts';
import type { Service } from '../service.ts';
import { isSuccess, makeWebhookSecret, sendEvent } from './send-event.ts';

/** The same number as in the text of `tooManyWebhooks` in errors.ts. */
export const MAX_WEBHOOKS = 10;
/** Maximum of a webhook's own limit. */
export const MAX_PER_SECOND = 1000;
export const TEST_TYPE = 'webhook.test';

/** From a service, or from an open database. */
export type WebhookService = Pick<Service, 'storage' | 'keyring' | 'webhookSender' | 'now'>;
export type WantedWebhook = Required<Pick<WebhookChange, 'url' | 'types' | 'description' | 'maxPerSecond'>>;

/** Converts to the stored form. Throws if it is invalid. */
export async function readWebhook<T extends WebhookChange>(
  { webhookSender }: Pick<WebhookService, 'webhookSender'>,
  given: T,
): Promise<T> {
  const { url, types, description } = given;
  const refuse = (field: string, message: string | undefined): void => {
    if (message === undefined) return;
    throw new InnkeeperError('badParameter', { fields: [{ field, message }], message: `${field} ${message}.` });
  };
  if (url !== undefined) refuse('url', await webhookSender.problemWith(url));
  if (description) refuse('description', displayNameProblem(description));
  return { ...given, ...(types && { types: EVENT_TYPES.filter((each) => types.includes(each)) }) };
}

/** The secret is shown only in this response; it is stored sealed. */
export async function createWebhook(
  { storage, keyring, now }: Omit<WebhookService, 'webhookSender'>,
  { appId }: Pick<Application, 'appId'>,
  wanted: WantedWebhook,
): Promise<{ webhook: WebhookRecord; secret: string }> {
  const secret = makeWebhookSecret();
  const createdAt = now();
  const webhook = {
    ...wanted,
    webhookId: orderedUuid(),
    appId,
    sealedSecret: keyring.sealWebhookSecret(secret),
    createdAt,
  };
  const outcome = await storage.webhooks.create(
    { ...webhook, position: await latestPosition(storage, appId) },
    MAX_WEBHOOKS,
  );
  if (outcome === 'application-gone') throw new InnkeeperError('applicationNotFound');
  if (outcome === 'too-many') throw new InnkeeperError('tooManyWebhooks');
  return { webhook: { ...webhook, previousSecret: null, off: null, lastSuccessAt: null, failingSince: null }, secret };
}

/** A position before every later event. */
async function latestPosition({ events }: Pick<Storage, 'events'>, appId: number): Promise<ReadPosition> {
  const page = await events.read(appId, 'latest', { limit: 1 });
  return { after: page.outcome === 'read' ? page.next : page.oldest, since: 0 };
}

/** By an id as given, which may be malformed. */
export async function findWebhook(
  { storage }: Pick<WebhookService, 'storage'>,
  appId: number,
  given: string,
): Promise<WebhookRecord> {
  const webhookId = readUuid(given);
  const found = webhookId && (await storage.webhooks.find(appId, webhookId));
  if (!found) throw new InnkeeperError('webhookNotFound');
  return found;
}

/** By an id as given, which may be malformed. */
export async function findDelivery(
  { storage }: Pick<WebhookService, 'storage'>,
  { webhookId }: WebhookRecord,
  given: string,
): Promise<DeliveryWithBody> {
  const deliveryId = readUuid(given);
  const found = deliveryId && (await storage.deliveries.find(webhookId, deliveryId));
  if (!found) throw new InnkeeperError('deliveryNotFound');
  return found;
}

/** It is sent by the process that holds the webhook's lease. */
export async function resendDelivery(
  { storage, now }: Pick<WebhookService, 'storage' | 'now'>,
  webhook: WebhookRecord,
  deliveryId: string,
): Promise<void> {
  if (webhook.off !== null) throw new InnkeeperError('webhookIsOff');
  const outcome = await storage.deliveries.resend(webhook, deliveryId, now());
  if (outcome === 'unknown') throw new InnkeeperError('deliveryNotFound');
  if (outcome === 'test') throw new InnkeeperError('deliveryIsTest');
}

/** The previous secret also signs until the overlap is over. */
export async function rotateWebhookSecret(
  { storage, keyring, now }: WebhookService,
  { appId, webhookId }: WebhookRecord,
  rotation: Rotation,
): Promise<{ secret: string; previousExpiresAt: number }> {
  const secret = makeWebhookSecret();
  const previousExpiresAt = await rotateUnlessInUse(rotation, now(), 'webhookNotFound', (...times) =>
    storage.webhooks.rotateSecret(appId, webhookId, keyring.sealWebhookSecret(secret), ...times),
  );
  return { secret, previousExpiresAt };
}

/** Sends a test event, even while the webhook is off, and waits for the result. */
export async function testWebhook(
  { storage, keyring, webhookSender: sender, now }: WebhookService,
  { clientId }: Pick<Application, 'clientId'>,
  webhook: WebhookRecord,
): Promise<DeliveryRecord & { body: string | null }> {
  const deliveryId = orderedUuid();
  const createdAt = now();
  const { webhookId } = webhook;
  const sent = await sendEvent(
    { sender, keyring },
    webhook,
    testEvent({ clientId, webhookId, deliveryId, createdAt }),
    createdAt,
  );
  const delivery = { deliveryId, eventNo: null, type: TEST_TYPE, userId: null, createdAt };
  const state = isSuccess(sent) ? ('succeeded' as const) : ('failed' as const);
  const attempt = { ...sent, deliveryId, at: now(), state, nextAt: null };
  const outcome = await storage.deliveries.addTest(webhook, delivery, attempt);
  if (outcome === 'unknown') throw new InnkeeperError('webhookNotFound');
  const { at: lastAt, ...result } = attempt;
  return { ...delivery, ...result, webhookId, attempts: 1, lastAt };
}

/** The same at every call. */
export function testEvent(test: { clientId: string; webhookId: string; deliveryId: string; createdAt: number }) {
  const { clientId, webhookId, deliveryId, createdAt } = test;
  const id = testEventId(deliveryId);
  const timestamp = new Date(createdAt).toISOString();
  return { id, body: JSON.stringify({ id, type: TEST_TYPE, timestamp, clientId, data: { webhookId } }) };
}

export function testEventId(deliveryId: string): string {
  return `evt_test_${deliveryId.replaceAll('-', '')}`;
}
