import type { Service } from '../../domain/service.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { AccessTokenShape, UserParams, UserShape } from './schemas.ts';
import { viewAccessToken, viewUser } from './views.ts';

const schema = {
  operationId: 'getUser',
  summary: 'Get one user with their valid access tokens',
  params: UserParams,
  response: { 200: Type.Object({ ...UserShape, accessTokens: Type.Array(AccessTokenShape) }) },
  errors: ['userNotFound'] as const,
};

export function getUserRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/users/:userUid', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, manager, params }) => {
    const user = await findUser(service, application, params.userUid as string);
    await service.userReads.record({ actor: manager.author, appId: application.appId, userId: user.userId });
    const tokens = await service.storage.tokens.list(user.userId, service.now());
    return { ...viewUser(user), accessTokens: tokens.map(viewAccessToken) };
  });
}
