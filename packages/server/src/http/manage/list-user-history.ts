import type { Service } from '../../domain/service.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { ListAnswer } from '../options/schemas.ts';
import { linkHeader, toPage } from '../paging.ts';
import type { Routes } from '../server/routes.ts';

import { pageOf } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { EventShape, PageQuery, UserParams } from './schemas.ts';
import { viewEvent } from './views.ts';

const schema = {
  operationId: 'listUserHistory',
  summary: "List the history of a user's selections, newest first",
  params: UserParams,
  querystring: PageQuery,
  response: { 200: ListAnswer(EventShape) },
  errors: ['userNotFound'] as const,
};

export function listUserHistoryRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/users/:userUid/history', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, manager, params, query, readQuery, reply }) => {
    const page = pageOf(readQuery());
    const { userId } = await findUser(service, application, params.userUid as string);
    await service.userReads.record({ actor: manager.author, appId: application.appId, userId });
    const catalog = await service.catalogs.get(application.appId);
    const { total, items } = await service.storage.selections.history(userId, page);
    const listing = toPage(
      items.map((event) => viewEvent(catalog, event)),
      total,
      page,
    );
    const path = `/manage/v1/applications/${application.clientId}/users/${userId}/history`;
    const link = linkHeader(path, query, listing);
    if (link !== undefined) reply.header('link', link);
    return listing;
  });
}
