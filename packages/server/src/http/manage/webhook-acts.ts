import type { Rotation } from '../../domain/applications/rotate-secret.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { eventId } from '../../domain/events/public-event.ts';
import {
  createWebhook,
  findDelivery,
  findWebhook,
  readWebhook,
  resendDelivery,
  rotateWebhookSecret,
  testEventId,
  testWebhook,
  type WantedWebhook,
  type WebhookService,
} from '../../domain/webhooks/manage-webhooks.ts';
import type { DeliveryFilter, DeliveryRecord, WebhookChange } from '../../storage/port.ts';
import { formatTime } from '../time.ts';
import { RECENT, viewDelivery, viewWebhook } from './webhook-shapes.ts';

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

  return {
    show,

    async list(appId: number) {
      const health = new Map((await storage.webhooks.health(appId, RECENT)).map((each) => [each.webhookId, each]));
      const webhooks = await storage.webhooks.list(appId);
      return webhooks.map((each) => viewWebhook(each, health.get(each.webhookId), now()));
    },

    async create(application: { appId: number }, wanted: WantedWebhook) {
      const { webhook, secret } = await createWebhook(service, application, await readWebhook(service, wanted));
      return { secret, ...viewWebhook(webhook, undefined, now()) };
    },

    async change(appId: number, given: string, wanted: WebhookChange) {
      const { webhookId } = await findWebhook(service, appId, given);
      const outcome = await storage.webhooks.update(appId, webhookId, await readWebhook(service, wanted));
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

function view(delivery: DeliveryRecord) {
  const { eventNo, deliveryId } = delivery;
  return viewDelivery(delivery, eventNo === null ? testEventId(deliveryId) : eventId(eventNo));
}
