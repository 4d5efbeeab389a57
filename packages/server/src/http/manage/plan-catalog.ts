import { planCatalog } from '../../domain/catalog/plan.ts';
import { planWithImpact } from '../../domain/catalog/publish.ts';
import { includesAccess } from '../../domain/manage/access.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { revisionTag } from './edit-options.ts';
import { applicationRoute } from './manage-route.ts';
import { CatalogShape, PlanShape } from './schemas.ts';
import { readCatalogBody, UPLOAD_LIMIT } from './uploads.ts';
import { viewPlan } from './views.ts';

const schema = {
  operationId: 'planCatalog',
  summary: 'Plan a catalog file without applying it',
  body: CatalogShape,
  response: {
    200: Type.Object(
      { revision: Type.Integer({ description: 'the revision it was compared with' }), ...PlanShape },
      { title: 'CatalogPlan' },
    ),
  },
  answerHeaders: { ETag: 'the revision it was compared with; send it as If-Match to apply' },
  errors: ['catalogInvalid'] as const,
};

export function planCatalogRoute(app: Routes, service: Service): void {
  const operation = {
    method: 'POST',
    path: '/catalog/plan',
    schema,
    access: 'read',
    bodyLimit: UPLOAD_LIMIT,
  } as const;
  applicationRoute(app, service, operation, async ({ application, manager, body, reply }) => {
    const { appId } = application;
    const definition = await readCatalogBody(service, application, body);
    const current = await service.openCatalogs.published(appId);
    const mayMatch = includesAccess(manager.accessTo(appId), 'users');
    const planned = await inSlices(planCatalog(current, definition));
    const plan = await planWithImpact(service.storage, appId, planned, { mayMatch });
    reply.header('etag', revisionTag(current.revision));
    return { revision: current.revision, ...(await viewPlan(plan)) };
  });
}
