import { getRevision } from '../../domain/catalog/revisions.ts';
import { toFile } from '../../domain/catalog/to-file.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { readParameters } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { CatalogAnswer, RevisionParams, RevisionShape } from './schemas.ts';
import { viewRevision } from './views.ts';

const schema = {
  operationId: 'getRevision',
  summary: 'Get one revision: its changes and the whole catalog of that time',
  params: RevisionParams,
  response: { 200: Type.Object({ ...RevisionShape, catalog: CatalogAnswer }) },
  errors: ['revisionNotFound', 'manageBadRequest'] as const,
};

export function getRevisionRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/revisions/:revision', schema } as const;
  applicationRoute(app, service, operation, async ({ application, params }) => {
    const { revision: wanted } = readParameters(RevisionParams, params);
    const { record, catalog } = await getRevision(service.storage, application.appId, wanted);
    return { ...viewRevision(record), catalog: await inSlices(toFile(catalog)) };
  });
}
