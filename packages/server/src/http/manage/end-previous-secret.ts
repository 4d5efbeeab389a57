import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { APPLICATION } from './examples.ts';
import { applicationRoute } from './manage-route.ts';

const schema = {
  operationId: 'endPreviousSecret',
  summary: 'End the overlap of a rotation now',
  description: 'The clientSecret before the current one stops working. Without one in an overlap, nothing happens.',
  response: { 204: Type.Null({ description: 'The current clientSecret is the only one.' }) },
  examples: {
    now: {
      summary: 'The new one is everywhere',
      params: APPLICATION,
      status: 204,
    },
  },
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
