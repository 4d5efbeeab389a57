import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { UserParams, withParams } from './schemas.ts';

const schema = {
  operationId: 'revokeAccessToken',
  summary: 'Revoke an access token of a user',
  description: 'It stops working immediately, in every replica.',
  params: withParams(UserParams, Type.Object({ tokenId: Type.String() })),
  response: { 204: Type.Null({ description: 'The token was revoked.' }) },
  errors: ['userNotFound', 'accessTokenNotFound'] as const,
};

export function revokeAccessTokenRoute(app: Routes, service: Service): void {
  const operation = { method: 'DELETE', path: '/users/:userUid/tokens/:tokenId', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, params }) => {
    const { userId } = await findUser(service, application, params.userUid as string);
    const tokens = await service.storage.tokens.list(userId, service.now());
    const token = tokens.find(({ tokenId }) => tokenId === params.tokenId);
    if (!token) throw new InnkeeperError('accessTokenNotFound');
    await service.storage.tokens.revoke(application.appId, token.tokenId);
    return undefined;
  });
}
