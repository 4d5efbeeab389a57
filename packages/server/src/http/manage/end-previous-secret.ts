import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';

const schema = {
  operationId: 'endPreviousSecret',
  summary: 'Revoke the previous clientSecret now',
  description: 'The previous clientSecret stops working. If there is none, nothing happens.',
  response: { 204: Type.Null({ description: 'Only the current clientSecret is valid.' }) },
};

export function endPreviousSecretRoute(app: Routes, service: Service): void {
  const operation = { method: 'DELETE', path: '/secrets/previous', schema, access: 'own' } as const;
  applicationRoute(app, service, operation, async ({ application }) => {
    const outcome = await service.storage.applications.endPreviousSecrets(application.appId);
    if (outcome === 'unknown') throw new InnkeeperError('applicationNotFound');
    await service.refresh().catch(() => {});
    return undefined;
  });
}
