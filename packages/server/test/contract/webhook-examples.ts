import { randomUUID } from 'node:crypto';
import type { Attempt, NewDelivery, NewWebhook } from '../../src/storage/port.ts';
import { orderedUuid } from '../../src/uuid.ts';
import { NOW } from './examples.ts';

export function webhook(appId: number, given: Partial<NewWebhook> = {}): NewWebhook {
  return {
    webhookId: orderedUuid(),
    appId,
    url: 'https://app.example.com/events',
    types: ['user.created'],
    description: 'CRM "Büro"',
    maxPerSecond: 20,
    sealedSecret: 'sealed',
    createdAt: NOW,
    position: { after: 0, since: NOW },
    ...given,
  };
}

export function delivery(eventNo: number | null, userId: string | null = randomUUID()): NewDelivery {
  return { deliveryId: orderedUuid(), eventNo, type: 'user.created', userId, createdAt: NOW };
}

export function attempt({ deliveryId }: Pick<NewDelivery, 'deliveryId'>, given: Partial<Attempt> = {}): Attempt {
  const answer = { at: NOW, milliseconds: 12, status: 200, problem: null, body: 'ok' };
  return { deliveryId, ...answer, state: 'succeeded', nextAt: null, ...given };
}
