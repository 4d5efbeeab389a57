import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';

import { ListAnswer } from '../options/schemas.ts';
import { linkHeader, toListing } from '../paging.ts';
import type { Routes } from '../server/routes.ts';
import { formatTime } from '../time.ts';

import { pageOf } from './input.ts';
import { manageRoute } from './manage-route.ts';
import { AccessShape, PageQuery, Time } from './schemas.ts';

const schema = {
  operationId: 'listApplications',
  summary: 'List applications',
  querystring: PageQuery,
  response: {
    200: ListAnswer(
      Type.Object({
        clientId: Type.String(),
        name: Type.String(),
        createdAt: Time,
        access: AccessShape,
      }),
    ),
  },
};

/** Oldest first. */
export function listApplicationsRoute(app: Routes, service: Service): void {
  manageRoute(
    app,
    service,
    { method: 'GET', path: '/applications', schema },
    async ({ manager, query, readQuery, reply }) => {
      const page = pageOf(readQuery());
      const readable = (await service.storage.applications.list()).filter(({ appId }) => manager.accessTo(appId));
      const { items, ...rest } = toListing(readable, page);
      const listing = {
        items: items.map(({ appId, clientId, name, createdAt }) => ({
          clientId,
          name,
          createdAt: formatTime(createdAt),
          access: manager.accessTo(appId),
        })),
        ...rest,
      };
      const link = linkHeader('/manage/v1/applications', query, listing);
      if (link !== undefined) reply.header('link', link);
      return listing;
    },
  );
}
