import type { Service } from '../../domain/service.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { UserParams } from './schemas.ts';

const schema = {
  operationId: 'revokeAccessTokens',
  summary: 'Revoke all tokens of a user',
  description:
    'Every access token, and an unspent specialToken. They stop working immediately, in every replica; the user has to sign in again.',
  params: UserParams,
  response: { 204: Type.Null({ description: 'The user has no valid token.' }) },
  errors: ['userNotFound'] as const,
};

export function revokeAccessTokensRoute(app: Routes, service: Service): void {
  const operation = { method: 'DELETE', path: '/users/:userUid/tokens', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, params }) => {
    const { userId } = await findUser(service, application, params.userUid as string);
    await service.storage.tokens.revokeAll(application.appId, userId);
    return undefined;
  });
}
