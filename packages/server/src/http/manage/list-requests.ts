import { readActivity } from '../../domain/activity/read-activity.ts';
import type { Service } from '../../domain/service.ts';
import { type Static, Type } from '../../schema.ts';
import { type RequestFilter, STEP_MS } from '../../storage/port.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { NewestFirstMembers, NewestFirstQuery, newestFirst } from './newest-first.ts';
import { RequestShape, viewRequest } from './request-shape.ts';
import { readSpan, SpanQuery } from './time-span.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const STATUSES = ['2xx', '3xx', '4xx', '5xx'] as const;

const schema = {
  operationId: 'listRequests',
  summary: 'List the latest requests of an application, newest first',
  description:
    'About 1,000 are kept, for at most 7 days; requests of a busy application are sampled. Secrets and tokens are masked. ' +
    'Requests about a user are deleted with the user.',
  querystring: Type.Object({
    ...SpanQuery,
    status: Type.Optional(Type.Enum([...STATUSES])),
    code: Type.Optional(Type.String({ maxLength: 16, description: 'error code' })),
    method: Type.Optional(Type.Enum([...METHODS])),
    path: Type.Optional(Type.String({ maxLength: 255, description: 'prefix' })),
    requestId: Type.Optional(Type.String({ maxLength: 128, description: 'X-Request-Id of the response; exact match' })),
    userUid: Type.Optional(Type.String({ format: 'uuid' })),
    ...NewestFirstQuery,
  }),
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
};

/** Paths and bodies hold personal data of users. */
export function listRequestsRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/requests', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application: { appId }, manager, readQuery }) => {
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
  });
}

function readFilter(query: Static<typeof schema.querystring>): RequestFilter {
  const { status, code, method, path: pathPrefix, userUid: userId, requestId } = query;
  const hundred = status === undefined ? undefined : Number(status[0]) * 100;
  const given = {
    statusFrom: hundred,
    statusTo: hundred === undefined ? undefined : hundred + 99,
    code,
    method,
    pathPrefix,
    userId,
    requestId,
  };
  const used = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...readSpan(query), ...Object.fromEntries(used) };
}

/** How many of those that came are in the log: both of whole hours, as they are counted. */
async function countSampled(service: Service, appId: number, filter: RequestFilter) {
  const hours = (at: number, round: (hours: number) => number): number => round(at / STEP_MS.hour) * STEP_MS.hour;
  const to = hours(filter.to ?? service.now() + 1, Math.ceil);
  const earliest = to - 7 * 24 * STEP_MS.hour;
  const from = Math.max(earliest, hours(filter.from ?? to - 24 * STEP_MS.hour, Math.floor));
  await service.activity.flush();
  const { total } = await readActivity(service.storage, appId, { step: 'hour', from, to });
  const kept = await service.storage.requestLog.count(appId, { from, to });
  // One that has just been logged may not have been counted yet.
  return { kept, of: Math.max(kept, total.requests) };
}
