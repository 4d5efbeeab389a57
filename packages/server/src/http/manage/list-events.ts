import { eventId, readEventId, tellEvents } from '../../domain/events/tell-event.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { EVENT_TYPES } from '../../storage/port.ts';
import { EventAnswer } from '../events/event-shapes.ts';
import type { Routes } from '../server/routes.ts';

import { pageOf, refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { LimitQuery, Nullable } from './schemas.ts';

const schema = {
  operationId: 'listApplicationEvents',
  summary: 'List the events of an application, newest first',
  description:
    'What feeds, streams and webhooks send, for people who look something up; to follow events use `GET /api/v2/app/{clientId}/events`. ' +
    'With a filter, a page covers at most 20,000 events and can have no items: go on with `next` until it is null.',
  querystring: Type.Object({
    type: Type.Optional(Type.Enum([...EVENT_TYPES])),
    userUid: Type.Optional(Type.String({ format: 'uuid' })),
    after: Type.Optional(Type.String({ description: '`next` of the previous page' })),
    ...LimitQuery,
  }),
  response: {
    200: Type.Object({
      items: Type.Array(EventAnswer),
      limit: Type.Integer(),
      next: Nullable(Type.String({ description: 'send it as `after` for older events; null: there are none' })),
    }),
  },
};

/** Events tell of users. */
export function listEventsRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/events', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, manager, readQuery }) => {
    const query = readQuery();
    const { type, userUid: userId, after } = query;
    const { limit } = pageOf(query);
    const { appId } = application;
    const before = after === undefined ? null : readEventId(after);
    if (before === undefined) throw refuse('after', 'must be the id of an event');
    await service.userReads.record({ actor: manager.author, appId, ...(userId !== undefined && { userId }) });
    const { items, next } = await service.storage.events.listBack(appId, { type, userId }, { before, limit });
    const told = await tellEvents(service, application, items);
    return { items: told.map(({ event }) => event), limit, next: next === null ? null : eventId(next) };
  });
}
