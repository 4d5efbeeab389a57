import { TEST_TYPE } from '../../domain/webhooks/manage-webhooks.ts';
import { Nullable, type TSchema, Type } from '../../schema.ts';
import { type EventType, SELECTION_AUTH_METHODS } from '../../storage/port.ts';
import { EXAMPLE } from '../docs/examples.ts';
import { ValueResponse } from '../options/schemas.ts';

const Uuid = Type.String({ format: 'uuid' });
const UserState = Type.Object(
  {
    service_user_code: Uuid,
    clientUserId: Type.Optional(Type.String()),
    clientUserName: Type.Optional(Type.String()),
    status: Type.Optional(Type.Enum(['active', 'suspended'])),
  },
  { title: 'UserEventData', description: 'the user after the event; service_user_code alone once the user is deleted' },
);

const UserDeleted = Type.Object({ service_user_code: Uuid }, { title: 'UserDeletedEventData' });

const Selection = Type.Object(
  {
    user_options_uid: Uuid,
    user_uid: Uuid,
    option_group_uid: Nullable(Uuid),
    option_key_uid: Nullable(Uuid),
    group: Type.Optional(Nullable(Type.String({ description: 'the name of the group' }))),
    option: Type.Optional(Nullable(Type.String({ description: 'the name of the key' }))),
    value: Type.Optional(Nullable(ValueResponse)),
    previous: Type.Optional(Nullable(ValueResponse)),
    revision: Type.Optional(Type.Integer({ description: 'of the catalog' })),
    by: Type.Optional(Type.Enum([...SELECTION_AUTH_METHODS])),
  },
  { title: 'SelectionEventData', description: 'the four ids alone once the user is deleted' },
);

const Published = Type.Object(
  {
    revision: Type.Integer(),
    changes: Type.Integer(),
    breaking: Type.Boolean({ description: 'whether saved selections were affected' }),
    by: Type.String(),
  },
  { title: 'CatalogEventData' },
);

type EventShape = { summary: string; data: TSchema; example: Record<string, unknown> };

const ADA = {
  service_user_code: EXAMPLE.userCode,
  clientUserId: EXAMPLE.clientUserId,
  clientUserName: 'Ada Lovelace',
  status: 'active',
};
const THEME = {
  user_options_uid: EXAMPLE.userOptionsUid,
  user_uid: EXAMPLE.userCode,
  option_group_uid: EXAMPLE.groupUid,
  option_key_uid: EXAMPLE.keyUid,
  group: 'appearance',
  option: 'theme',
  value: 'dark',
  previous: null,
  revision: 1,
  by: 'user_uid',
};

/** The data of each type of event. The compiler requires an entry for every type. */
export const EVENT_SHAPES: Record<EventType, EventShape> = {
  'user.created': { summary: 'A user was created or imported.', data: UserState, example: ADA },
  'user.updated': {
    summary: 'clientUserId or clientUserName changed, or an import changed the user or their selections.',
    data: UserState,
    example: ADA,
  },
  'user.suspended': {
    summary: 'A user was suspended.',
    data: UserState,
    example: { ...ADA, status: 'suspended' },
  },
  'user.resumed': { summary: 'A suspended user is active again.', data: UserState, example: ADA },
  'user.deleted': {
    summary: 'A user was deleted. Earlier events of the user are reduced to ids.',
    data: UserDeleted,
    example: { service_user_code: EXAMPLE.userCode },
  },
  'selection.saved': {
    summary: 'A selection was saved with another value than before.',
    data: Selection,
    example: THEME,
  },
  'selection.unset': {
    summary: 'A selection was removed.',
    data: Selection,
    example: { ...THEME, value: null, previous: 'dark' },
  },
  'catalog.published': {
    summary: 'A revision of the catalog was published.',
    data: Published,
    example: { revision: 2, changes: 1, breaking: false, by: 'ada@example.com' },
  },
};

const TYPES = Object.keys(EVENT_SHAPES) as EventType[];

export const EventResponse = Type.Object(
  {
    id: Type.String({ description: 'the same in every delivery' }),
    type: Type.Enum(TYPES),
    timestamp: Type.String({ format: 'date-time', description: 'RFC 3339, UTC' }),
    clientId: Type.String(),
    data: Type.Union([UserState, Selection, Published]),
  },
  { title: 'ApplicationEvent' },
);

export function exampleOf(type: EventType): Record<string, unknown> {
  return {
    id: 'evt_0001jcg4v2k7q',
    type,
    timestamp: '2025-11-24T16:00:00.000Z',
    clientId: EXAMPLE.clientId,
    data: EVENT_SHAPES[type].example,
  };
}

/** An event of one type, for documents that list types separately. */
export function shapeOf(type: EventType): TSchema {
  const { properties } = EventResponse;
  return Type.Object(
    { ...properties, type: Type.Literal(type), data: EVENT_SHAPES[type].data },
    { title: `${type.replace(/(?:^|\.)\w/g, (start) => start.replace('.', '').toUpperCase())}Event` },
  );
}

const TEST_ID = 'evt_test_0198c5a27d107c3e9b1f2f6a4e8d0c31';

/** Sent by `POST …/webhooks/{webhookId}/test`. It is in no feed, because nothing happened. */
export const WEBHOOK_TEST = {
  summary: 'A test of the webhook.',
  shape: Type.Object(
    { ...EventResponse.properties, type: Type.Literal(TEST_TYPE), data: Type.Object({ webhookId: Uuid }) },
    { title: 'WebhookTestEvent' },
  ),
  example: {
    ...exampleOf('user.created'),
    ...{ id: TEST_ID, type: TEST_TYPE, data: { webhookId: '0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31' } },
  },
};

/** Standard Webhooks: headers that a receiver verifies before it reads the body. */
export const WebhookHeaders: TSchema = Type.Object(
  {
    'webhook-id': Type.String({ description: 'the `id` of the event, the same in every attempt' }),
    'webhook-timestamp': Type.String({ description: 'when this attempt was sent, in seconds since 1970' }),
    'webhook-signature': Type.String({
      description:
        '`v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, by the decoded secret after `whsec_`; two of them, with a space between, while the secret is rotated',
    }),
  },
  { title: 'WebhookHeaders' },
);

const Timestamp = Type.String({ format: 'date-time' });

/** What a user's stream sends, by event name. */
export const USER_STREAM_SHAPES: Record<string, EventShape> = {
  selection: {
    summary: 'An option of the user was saved or unset.',
    data: Type.Object(
      { type: Type.Enum(['selection.saved', 'selection.unset']), timestamp: Timestamp, ...Selection.properties },
      { title: 'UserSelection' },
    ),
    example: { type: 'selection.saved', timestamp: '2025-11-24T16:00:00.000Z', ...THEME },
  },
  catalog: {
    summary: 'A revision of the catalog was published: read the catalog again.',
    data: Type.Object({ timestamp: Timestamp, revision: Type.Integer() }, { title: 'UserCatalog' }),
    example: { timestamp: '2025-11-24T16:00:00.000Z', revision: 2 },
  },
  reset: {
    summary: 'The stream could not be resumed: read options and catalog again.',
    data: Type.Object({}, { title: 'UserReset' }),
    example: {},
  },
};
