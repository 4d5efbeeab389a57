import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { isUuid } from '../../domain/users/user-code.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { accountRoute } from './manage-route.ts';

const schema = {
  operationId: 'endAccountSession',
  summary: 'End one of your portal sessions',
  description: 'It stops working immediately, in every replica.',
  params: Type.Object({ sessionId: Type.String({ format: 'uuid' }) }),
  response: { 204: Type.Null({ description: 'The session has ended.' }) },
  errors: ['sessionNotFound'] as const,
};

export function endAccountSessionRoute(app: Routes, service: Service): void {
  const operation = { method: 'DELETE', path: '/account/sessions/:sessionId', schema } as const;
  accountRoute(app, service, operation, async ({ signedIn, params }) => {
    const sessionId = params.sessionId as string;
    const outcome = isUuid(sessionId)
      ? await service.storage.sessions.end(signedIn.account.accountId, sessionId)
      : 'unknown';
    if (outcome === 'unknown') throw new InnkeeperError('sessionNotFound');
    return undefined;
  });
}
