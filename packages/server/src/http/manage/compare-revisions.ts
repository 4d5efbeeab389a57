import { compareRevisions } from '../../domain/catalog/revisions.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { Change } from './schemas.ts';

const schema = {
  operationId: 'compareRevisions',
  summary: 'Compare two revisions',
  querystring: Type.Object({
    from: Type.Integer({ minimum: 0, description: '0 is the empty catalog' }),
    to: Type.Integer({ minimum: 0 }),
  }),
  response: { 200: Type.Object({ from: Type.Integer(), to: Type.Integer(), changes: Type.Array(Change) }) },
  errors: ['revisionNotFound'] as const,
};

export function compareRevisionsRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/revisions/compare', schema } as const;
  applicationRoute(app, service, operation, async ({ application, readQuery }) => {
    const { from, to } = readQuery();
    return { from, to, changes: await compareRevisions(service.storage, application.appId, from, to) };
  });
}
