import { readRevision } from '../../domain/catalog/revisions.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { ListAnswer } from '../options/schemas.ts';
import { linkHeader } from '../paging.ts';
import type { Routes } from '../server/routes.ts';

import { pageOf } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { PageQuery, RevisionShape } from './schemas.ts';
import { viewRevision } from './views.ts';

const schema = {
  operationId: 'listRevisions',
  summary: 'List the revisions of the catalog with their changes, newest first',
  querystring: PageQuery,
  response: { 200: ListAnswer(Type.Object(RevisionShape, { title: 'CatalogRevision' })) },
};

export function listRevisionsRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/revisions', schema } as const;
  applicationRoute(app, service, operation, async ({ application, query, readQuery, reply }) => {
    const page = pageOf(readQuery());
    const { total, items } = await service.storage.catalogs.revisions(application.appId, page);
    const listing = { items: items.map((item) => viewRevision(readRevision(item))), total, ...page };
    const link = linkHeader(`/manage/v1/applications/${application.clientId}/revisions`, query, listing);
    if (link !== undefined) reply.header('link', link);
    return listing;
  });
}
