import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { isUuid } from '../../domain/users/user-code.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { accountRoute } from './manage-route.ts';

const schema = {
  operationId: 'revokeAccountToken',
  summary: 'Revoke one of your personal access tokens',
  description: 'It stops working immediately, in every replica.',
  params: Type.Object({ tokenId: Type.String({ format: 'uuid' }) }),
  response: { 204: Type.Null({ description: 'The token was revoked.' }) },
  errors: ['manageTokenNotFound'] as const,
};

export function revokeAccountTokenRoute(app: Routes, service: Service): void {
  const operation = { method: 'DELETE', path: '/account/tokens/:tokenId', schema } as const;
  accountRoute(app, service, operation, async ({ signedIn, params }) => {
    const tokenId = params.tokenId as string;
    const outcome = isUuid(tokenId)
      ? await service.storage.manageTokens.revoke(tokenId, signedIn.account.accountId)
      : 'unknown';
    if (outcome === 'unknown') throw new InnkeeperError('manageTokenNotFound');
    return undefined;
  });
}
