import { orderedUuid } from '../../ordered-uuid.ts';
import type { DeliveryRecord, ReadPosition, Storage, WebhookChange, WebhookRecord } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { isSuccess, sendEvent } from './send-event.ts';
import { makeWebhookSecret } from './signature.ts';

export const MOST_WEBHOOKS = 10;
export const TEST_TYPE = 'webhook.test';

export type WantedWebhook = Required<Pick<WebhookChange, 'url' | 'types' | 'description'>>;

/** The secret is shown only in this response; it is stored sealed. */
export async function createWebhook(
  { storage, keyring, now }: Service,
  { appId }: Application,
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
    MOST_WEBHOOKS,
  );
  if (outcome === 'application-gone') throw new InnkeeperError('applicationNotFound');
  if (outcome === 'too-many') {
    throw new InnkeeperError('tooManyWebhooks', {
      message: `An application has at most ${MOST_WEBHOOKS} webhooks.`,
    });
  }
  return { webhook: { ...webhook, previousSecret: null, off: null, lastSuccessAt: null, failingSince: null }, secret };
}

/** Every event after this moment is after it. */
async function latestPosition({ events }: Pick<Storage, 'events'>, appId: number): Promise<ReadPosition> {
  const page = await events.read(appId, 'latest', { limit: 1 });
  return { after: page.outcome === 'read' ? page.next : page.oldest, since: 0 };
}

export async function findWebhook({ storage }: Service, appId: number, webhookId: string): Promise<WebhookRecord> {
  const found = await storage.webhooks.find(appId, webhookId);
  if (!found) throw new InnkeeperError('webhookNotFound');
  return found;
}

/** The secret before signs too until the overlap is over. */
export async function rotateWebhookSecret(
  { storage, keyring, now }: Service,
  { appId, webhookId }: WebhookRecord,
  overlapSeconds: number,
): Promise<{ secret: string; previousExpiresAt: number }> {
  const secret = makeWebhookSecret();
  const previousExpiresAt = now() + overlapSeconds * 1000;
  const sealed = keyring.sealWebhookSecret(secret);
  const outcome = await storage.webhooks.rotateSecret(appId, webhookId, sealed, previousExpiresAt);
  if (outcome === 'unknown') throw new InnkeeperError('webhookNotFound');
  return { secret, previousExpiresAt };
}

/** Sends an event that tells of nothing, also while the webhook is off, and waits for what comes of it. */
export async function testWebhook(
  { storage, keyring, webhookSender: sender, now }: Service,
  { clientId }: Application,
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

/** The same whenever it is asked for. */
export function testEvent(test: { clientId: string; webhookId: string; deliveryId: string; createdAt: number }) {
  const { clientId, webhookId, deliveryId, createdAt } = test;
  const id = testEventId(deliveryId);
  const timestamp = new Date(createdAt).toISOString();
  return { id, body: JSON.stringify({ id, type: TEST_TYPE, timestamp, clientId, data: { webhookId } }) };
}

export function testEventId(deliveryId: string): string {
  return `evt_test_${deliveryId.replaceAll('-', '')}`;
}
