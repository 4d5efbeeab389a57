import { readActivity } from '../../domain/activity.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { eventId, readEventId, toPublicEvents } from '../../domain/events/public-event.ts';
import type { Service } from '../../domain/service.ts';
import { Nullable, type Static, Type } from '../../schema.ts';
import { EVENT_TYPES, type LoggedRequest, type RequestFilter, STEP_MS } from '../../storage/port.ts';
import { formatTime } from '../../time.ts';
import { isUuid } from '../../uuid.ts';
import { EventResponse } from '../events/event-shapes.ts';
import { METHODS } from '../server/routes.ts';
import { NewestFirstMembers, NewestFirstQuery, newestFirst, pageOf, readSpan, refuse, SpanQuery } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { LimitQuery, Time } from './schemas.ts';

const RequestShape = {
  requestUid: Type.String({ format: 'uuid' }),
  at: Time,
  method: Type.String(),
  route: Nullable(Type.String({ description: 'path pattern; null: unknown path' })),
  path: Type.String({ description: 'with its query; possible secrets are [masked]' }),
  status: Type.Integer(),
  code: Nullable(Type.String({ description: 'error code' })),
  milliseconds: Type.Number(),
  requestId: Type.String({ description: 'X-Request-Id of the response' }),
  address: Type.String({ description: 'network of the client' }),
  userAgent: Type.String(),
  credentials: Type.Enum(['none', 'basic', 'bearer'], { description: 'kind of Authorization header' }),
  userUid: Nullable(Type.String({ format: 'uuid', description: 'the affected user, if any' })),
};

/** From and to. */
const STATUSES = {
  '2xx': [200, 299],
  '3xx': [300, 399],
  '4xx': [400, 499],
  '5xx': [500, 599],
  failed: [400, 599],
} as const;

const RequestQuery = Type.Object({
  ...SpanQuery,
  status: Type.Optional(
    Type.Enum(Object.keys(STATUSES) as (keyof typeof STATUSES)[], { description: '`failed`: 4xx and 5xx' }),
  ),
  code: Type.Optional(Type.String({ maxLength: 16, description: 'error code' })),
  method: Type.Optional(Type.Enum([...METHODS])),
  path: Type.Optional(Type.String({ maxLength: 255, description: 'prefix' })),
  requestId: Type.Optional(Type.String({ maxLength: 128, description: 'X-Request-Id of the response; exact match' })),
  userUid: Type.Optional(Type.String({ format: 'uuid' })),
  ...NewestFirstQuery,
});

const Body = Nullable(
  Type.String({
    description: 'about 2,000 characters at most; [n bytes]: not a JSON object, or too large; null: none',
  }),
);

/** Recent requests and events of an application. */
export function requestRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  /** Paths and bodies contain personal data. */
  applicationRoute('GET', '/requests', {
    operationId: 'listRequests',
    access: 'users',
    summary: 'List the latest requests of an application, newest first',
    description:
      'About 1,000 are kept, for at most 7 days; requests of a busy application are sampled. Secrets and tokens are masked. ' +
      'Requests about a user are deleted with the user.',
    querystring: RequestQuery,
    response: {
      200: Type.Object({
        items: Type.Array(Type.Object(RequestShape, { title: 'LoggedRequest' })),
        ...NewestFirstMembers,
        sampled: Type.Object(
          { kept: Type.Integer(), of: Type.Integer() },
          { description: 'of all requests from `from` to `to` (default: 24 hours), regardless of other filters' },
        ),
      }),
    },
    async handle({ application: { appId }, manager, readQuery }) {
      const query = readQuery();
      const filter = readFilter(query);
      const page = newestFirst(query);
      const { userId } = filter;
      if (userId !== undefined) await service.userReads.record({ actor: manager.author, appId, userId });
      const { storage } = service;
      const found = await storage.requestLog.list(appId, filter, { ...page, limit: page.limit + 1 });
      const items = found.slice(0, page.limit);
      return {
        items: items.map(viewRequest),
        limit: page.limit,
        next: found.length > items.length ? (items.at(-1)?.requestUid ?? null) : null,
        sampled: await countSampled(service, appId, filter),
      };
    },
  });

  /** Events contain personal data. */
  applicationRoute('GET', '/events', {
    operationId: 'listApplicationEvents',
    access: 'users',
    summary: 'List the events of an application, newest first',
    description:
      'What feeds, streams and webhooks send, to find out what happened; to follow events, use `GET /api/v2/app/{clientId}/events`. ' +
      'With a filter, a page covers at most 20,000 events and can have no items: continue with `next` until it is null.',
    querystring: Type.Object({
      type: Type.Optional(Type.Enum([...EVENT_TYPES])),
      userUid: Type.Optional(Type.String({ format: 'uuid' })),
      after: Type.Optional(Type.String({ description: '`next` of the previous page' })),
      ...LimitQuery,
    }),
    response: {
      200: Type.Object({
        items: Type.Array(EventResponse),
        limit: Type.Integer(),
        next: Nullable(Type.String({ description: 'send it as `after` for older events; null: there are none' })),
      }),
    },
    async handle({ application, manager, readQuery }) {
      const query = readQuery();
      const { type, userUid: userId, after } = query;
      const { limit } = pageOf(query);
      const { appId } = application;
      const before = after === undefined ? null : readEventId(after);
      if (before === undefined) throw refuse('after', 'must be the id of an event');
      const { items, next } = await service.storage.events.listBack(appId, { type, userId }, { before, limit });
      // The portal polls this: only events about users count as access to personal data.
      if (userId !== undefined || items.some((item) => item.userId !== null)) {
        await service.userReads.record({ actor: manager.author, appId, ...(userId !== undefined && { userId }) });
      }
      const published = await toPublicEvents(service, application, items);
      return { items: published.map(({ event }) => event), limit, next: next === null ? null : eventId(next) };
    },
  });

  applicationRoute('GET', '/requests/:requestUid', {
    operationId: 'getRequest',
    access: 'users',
    summary: 'Get a logged request with its body and response',
    params: Type.Object({ requestUid: Type.String({ format: 'uuid' }) }),
    response: {
      200: Type.Object({ ...RequestShape, request: Body, answer: Body }, { title: 'LoggedRequestWithBodies' }),
    },
    errors: ['loggedRequestNotFound'],
    async handle({ application, manager, params }) {
      const { requestUid = '' } = params;
      const found = isUuid(requestUid)
        ? await service.storage.requestLog.find(application.appId, requestUid)
        : undefined;
      if (!found) throw new InnkeeperError('loggedRequestNotFound');
      const { userId } = found;
      if (userId !== null) {
        await service.userReads.record({ actor: manager.author, appId: application.appId, userId });
      }
      return { ...viewRequest(found), request: found.request, answer: found.answer };
    },
  });
}

function viewRequest({ at, userId, request: _, answer: _answer, ...facts }: LoggedRequest) {
  return { ...facts, at: formatTime(at), userUid: userId };
}

function readFilter(query: Static<typeof RequestQuery>): RequestFilter {
  const { status, code, method, path: pathPrefix, userUid: userId, requestId } = query;
  const [statusFrom, statusTo] = status === undefined ? [] : STATUSES[status];
  const given = { statusFrom, statusTo, code, method, pathPrefix, userId, requestId };
  const used = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...readSpan(query), ...Object.fromEntries(used) };
}

/** How many of the received requests are in the log. Both counts cover whole hours, as the statistics do. */
async function countSampled(service: Service, appId: number, filter: RequestFilter) {
  const hours = (at: number, round: (hours: number) => number): number => round(at / STEP_MS.hour) * STEP_MS.hour;
  const to = hours(filter.to ?? service.now() + 1, Math.ceil);
  const earliest = to - 7 * 24 * STEP_MS.hour;
  const from = Math.max(earliest, hours(filter.from ?? to - 24 * STEP_MS.hour, Math.floor));
  await service.activity.flush();
  const { total } = await readActivity(service.storage, appId, { step: 'hour', from, to });
  const kept = await service.storage.requestLog.count(appId, { from, to });
  // A request may be logged before it is counted.
  return { kept, of: Math.max(kept, total.requests) };
}
