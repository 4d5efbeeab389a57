import type { Service } from '../../domain/service.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { reissueSpecialToken } from '../../domain/users/reissue-special-token.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { formatTime } from '../time.ts';

import { applicationRoute } from './manage-route.ts';
import { Time, UserParams } from './schemas.ts';

const schema = {
  operationId: 'reissueSpecialToken',
  summary: 'Issue a new specialToken for a user',
  description: 'Earlier unspent ones stop working.',
  params: UserParams,
  response: { 201: Type.Object({ specialToken: Type.String(), expiresAt: Time }) },
  errors: ['userNotFound'] as const,
};

export function reissueSpecialTokenRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/users/:userUid/special-token', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, params, reply }) => {
    const user = await findUser(service, application, params.userUid as string);
    const { specialToken, expiresAt } = await reissueSpecialToken(service, application, user);
    reply.code(201);
    return { specialToken, expiresAt: formatTime(expiresAt) };
  });
}
