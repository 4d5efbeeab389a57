import type { Application } from '../../domain/applications/application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { LiveEvents } from '../../domain/events/live-events.ts';
import { readCursor, toPublicEvents, writeCursor } from '../../domain/events/public-event.ts';
import type { Service } from '../../domain/service.ts';
import { directlyOrInSlices, mapSteps } from '../../domain/slices.ts';
import { authorizeApplication, hasSecretOf } from '../../domain/users/authorize-application.ts';
import { Type } from '../../schema.ts';
import { EVENT_TYPES, type EventType } from '../../storage/port.ts';
import type { Query } from '../paging.ts';
import { prefersType, readAuthorization } from '../request-headers.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { JSON_TYPE } from '../server/wire-text.ts';
import { readOnce } from '../users/user-filter.ts';
import { BACK_END_ERRORS } from '../users/user-routes.ts';
import { EventAnswer } from './event-shapes.ts';
import { EVENT_STREAM, eventStream, writeEvent } from './event-stream.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

const schema = {
  operationId: 'listEvents',
  summary: 'Read events, or follow them as a stream',
  description:
    'For the back end of the application: HTTP Basic with clientId and clientSecret. Send `next` as `after` of the next request: nothing is missed, ' +
    'and an event comes at least once, in order per user. A page may be empty while `next` moves on. ' +
    `With \`Accept: ${EVENT_STREAM}\` the same events are sent as they happen; \`Last-Event-ID\` resumes a stream.`,
  tags: ['events'],
  params: Type.Object({ clientId: Type.String() }),
  querystring: Type.Object({
    after: Type.Optional(
      Type.String({
        description:
          '`next` of an earlier page, or `latest` for what happens from now on; without it, the oldest event is first',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
    type: Type.Optional(Type.Array(Type.Enum([...EVENT_TYPES]), { description: 'only these types' })),
  }),
  headers: Type.Object({
    'Last-Event-ID': Type.Optional(Type.String({ description: 'of a stream: in place of `after`' })),
  }),
  security: [{ basic: [] }],
  produces: ['application/json', EVENT_STREAM],
  response: {
    200: Type.Object(
      { items: Type.Array(EventAnswer), next: Type.String({ description: '`after` of the next request' }) },
      { title: 'Events' },
    ),
    410: Type.Object({ oldest: Type.String({ description: 'the cursor before the oldest event that is kept' }) }),
  },
  errors: [...BACK_END_ERRORS, 'usersBadRequest', 'cursorInvalid', 'cursorExpired', 'tooManyStreams'],
} satisfies RouteSchema;

export function listEventsRoute(app: Routes, service: Service, live: LiveEvents): void {
  app.get('/api/v2/app/:clientId/events', { schema }, async (request, reply) => {
    const { clientId = '' } = request.params;
    request.about = { clientId };
    const credentials = readAuthorization(request.headers.authorization);
    const application = await authorizeApplication(service, { clientId, credentials, admission: request.admission });
    const { query } = request;
    const types = readTypes(query);
    const limit = readLimit(query);
    const isStream = prefersType(request.headers.accept ?? '', EVENT_STREAM, 'application/json');
    const after = readAfter(service, application, request, isStream);
    reply.header('cache-control', 'no-store').header('vary', 'Accept');
    const cursor = (no: number): string => writeCursor(service.keyring, application, no);
    if (isStream) {
      const follower = await live.follow(application, { after, types });
      const body = eventStream({
        ...{ follower, cursor },
        *write({ items }) {
          for (const { no, event } of items) yield writeEvent(event.type, event, cursor(no));
        },
        async isAllowed() {
          const now = await service.applications.findByClientId(clientId);
          return now !== undefined && hasSecretOf(service, now, credentials);
        },
      });
      return reply.header('x-accel-buffering', 'no').stream(EVENT_STREAM, body);
    }
    const page = await service.storage.events.read(application.appId, after, { limit, types });
    if (page.outcome === 'expired')
      throw new InnkeeperError('cursorExpired', { more: { oldest: cursor(page.oldest) } });
    const items = await toPublicEvents(service, application, page.items);
    const written = await directlyOrInSlices(mapSteps(items, ({ event }) => JSON.stringify(event)));
    return reply.type(JSON_TYPE).send(`{"items":[${written.join()}],"next":${JSON.stringify(cursor(page.next))}}`);
  });
}

function readAfter(
  { keyring }: Service,
  application: Application,
  { query, headers }: HttpRequest,
  isStream: boolean,
): number | 'start' | 'latest' {
  const resumed = isStream ? headers['last-event-id'] : undefined;
  if (typeof resumed === 'string' && resumed !== '') return readCursor(keyring, application, resumed, 'Last-Event-ID');
  const after = readOnce(query, 'after', refuse);
  if (after === undefined) return 'start';
  return after === 'latest' ? after : readCursor(keyring, application, after, 'after');
}

function readTypes({ type = [] }: Query): EventType[] | undefined {
  const types = [...new Set([type].flat())];
  const unknown = types.find((each) => !EVENT_TYPES.includes(each as EventType));
  if (unknown !== undefined) throw refuse('type', `must be one of ${EVENT_TYPES.join(', ')}`);
  return types.length > 0 ? (types as EventType[]) : undefined;
}

function readLimit(query: Query): number {
  const text = readOnce(query, 'limit', refuse) ?? String(DEFAULT_LIMIT);
  if (!/^\d{1,15}$/.test(text) || Number(text) === 0) throw refuse('limit', 'must be a whole number, 1 or more');
  return Math.min(Number(text), MAX_LIMIT);
}

function refuse(field: string, message: string): InnkeeperError {
  return new InnkeeperError('usersBadRequest', { message: `${field} ${message}.` });
}
