import type { Command } from 'commander';
import { defineGroup } from './command.ts';
import { webhookDeliveries, webhookResend, webhookTest } from './webhook-deliveries.ts';
import { webhookCreate, webhookDelete, webhookRotateSecret, webhookSet } from './webhook-edit.ts';
import { webhookList, webhookShow } from './webhook-show.ts';

export function webhook(): Command {
  return defineGroup({
    name: 'webhook',
    description: 'send the events of an application to your endpoints (Standard Webhooks) and inspect deliveries',
    examples: [
      [
        'webhook create https://app.example.com/events --app 123456789_4f2c',
        'send all events; the secret is shown once',
      ],
      ['webhook test 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31 --app 123456789_4f2c', 'send a test event now'],
      ['webhook deliveries 0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31 --app 123456789_4f2c --state failed', 'what failed'],
    ],
  })
    .addCommand(webhookCreate())
    .addCommand(webhookList())
    .addCommand(webhookShow())
    .addCommand(webhookSet())
    .addCommand(webhookRotateSecret())
    .addCommand(webhookTest())
    .addCommand(webhookDeliveries())
    .addCommand(webhookResend())
    .addCommand(webhookDelete());
}
