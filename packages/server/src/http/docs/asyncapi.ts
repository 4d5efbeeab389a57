import type { Config } from '../../config.ts';
import { TEST_TYPE } from '../../domain/webhooks/manage-webhooks.ts';
import { version } from '../../package.ts';
import type { TSchema } from '../../schema.ts';
import { EVENT_TYPES } from '../../storage/port.ts';
import {
  EVENT_SHAPES,
  exampleOf,
  shapeOf,
  USER_STREAM_SHAPES,
  WEBHOOK_TEST,
  WebhookHeaders,
} from '../events/event-shapes.ts';
import { type Json, type Shape, SharedShapes } from './shared-shapes.ts';

type Message = { name: string; summary: string; payload: TSchema; example: Json };

const SECURITY_SCHEMES = {
  basic: { type: 'http', scheme: 'basic', description: 'clientId and clientSecret of the application.' },
  apiKey: { type: 'httpApiKey', in: 'header', name: 'apiKey', description: 'The clientId of the application.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The access token of a user.' },
};

/** The AsyncAPI 3 document of all events, from the same shapes as the OpenAPI document. */
export function describeEvents({ publicUrl }: Pick<Config, 'publicUrl'>): Json {
  const shapes = new SharedShapes();
  const { host, protocol, pathname } = new URL(publicUrl);
  const events = EVENT_TYPES.map((type): Message => {
    return { name: type, summary: EVENT_SHAPES[type].summary, payload: shapeOf(type), example: exampleOf(type) };
  });
  const ofUser = Object.entries(USER_STREAM_SHAPES).map(([name, { summary, data, example }]): Message => {
    return { name, summary, payload: data, example };
  });
  const describe = ({ name, summary, payload, example }: Message): Json => {
    return {
      name,
      summary,
      payload: shapes.share(payload as Shape),
      examples: [{ name: 'example', payload: example }],
    };
  };
  const messages = Object.fromEntries([...events, ...ofUser].map((each) => [each.name, describe(each)]));
  const test: Message = { ...WEBHOOK_TEST, name: TEST_TYPE, payload: WEBHOOK_TEST.shape };
  const headers = shapes.share(WebhookHeaders as Shape);
  const delivered = [...events, test].map((each) => [
    each.name,
    {
      ...{ ...describe(each), headers },
      examples: [{ name: 'example', headers: headersOf(each.example), payload: each.example }],
    },
  ]);
  const channel = (address: string, description: string, sent: Message[], parameters?: Json): Json => ({
    ...{ address, description, ...(parameters && { parameters }), servers: [{ $ref: '#/servers/service' }] },
    messages: Object.fromEntries(sent.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }])),
  });
  const operation = (name: string, summary: string, security: string[]): Json => ({
    ...{ action: 'send', summary, channel: { $ref: `#/channels/${name}` } },
    security: security.map((scheme) => ({ $ref: `#/components/securitySchemes/${scheme}` })),
  });
  return {
    asyncapi: '3.0.0',
    info: {
      ...{ title: 'Innkeeper events', version, license: { name: 'MIT' } },
      description:
        'Events are written in the transaction of the change they describe. Delivery is at least once, in order per user. Every event has an `id` that is the same in each delivery.',
    },
    defaultContentType: 'application/json',
    servers: {
      service: { host, protocol: protocol.slice(0, -1), ...(pathname !== '/' && { pathname }) },
      receiver: {
        ...{ host: '{host}', protocol: 'https', description: 'Your endpoint.' },
        variables: { host: { description: 'of the URL of the webhook' } },
      },
    },
    channels: {
      events: channel(
        '/api/v2/app/{clientId}/events',
        'All events of an application, for its back end: server-sent events with `Accept: text/event-stream`, resumed by `Last-Event-ID`; otherwise pages of JSON, `{"items":[…],"next":cursor}`. `after`, `limit` and `type` are query parameters.',
        events,
        { clientId: { description: 'of the application' } },
      ),
      userOptions: channel(
        '/api/user_options/events',
        "Server-sent events for pages: the options of the access token's user, and the catalog.",
        ofUser,
      ),
      webhooks: {
        address: null,
        description:
          'Each event as a POST to the URL of a webhook (Standard Webhooks). Any 2xx within 10 seconds is a success; otherwise it is sent again over three days, with growing pauses. 410 turns the webhook off.',
        servers: [{ $ref: '#/servers/receiver' }],
        messages: Object.fromEntries(delivered),
      },
    },
    operations: {
      sendEvents: operation('events', 'Sends the events of an application', ['basic']),
      sendUserOptions: operation('userOptions', 'Sends changes of the options of one user', ['apiKey', 'bearer']),
      sendWebhooks: operation('webhooks', 'Sends the events of an application to your endpoint', []),
    },
    components: { messages, schemas: shapes.sorted(), securitySchemes: SECURITY_SCHEMES },
  };
}

function headersOf({ id }: Json): Json {
  return {
    'webhook-id': id,
    'webhook-timestamp': '1764000000',
    'webhook-signature': 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  };
}
