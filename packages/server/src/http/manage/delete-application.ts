import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';

import { refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';

const schema = {
  operationId: 'deleteApplication',
  summary: 'Delete an application with all of its data',
  description: 'This cannot be undone, so the clientId must be sent again as confirmation.',
  querystring: Type.Object({ confirm: Type.String({ description: 'the clientId again' }) }),
  response: { 204: Type.Null({ description: 'The application was deleted.' }) },
};

export function deleteApplicationRoute(app: Routes, service: Service): void {
  const operation = { method: 'DELETE', path: '', schema, access: 'own' } as const;
  applicationRoute(app, service, operation, async ({ application, readQuery }) => {
    if (readQuery().confirm !== application.clientId) {
      throw refuse('confirm', 'must be the clientId of the application to delete');
    }
    const outcome = await service.storage.applications.delete(application.appId);
    if (outcome === 'unknown') throw new InnkeeperError('applicationNotFound');
    await service.refresh().catch(() => {});
    return undefined;
  });
}
