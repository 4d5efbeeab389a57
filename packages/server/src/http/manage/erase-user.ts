import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';

import { applicationRoute } from './manage-route.ts';
import { UserParams } from './schemas.ts';

const schema = {
  operationId: 'eraseUser',
  summary: 'Delete a user with all of their data',
  description: 'This cannot be undone. Their tokens stop working immediately, in every replica.',
  params: UserParams,
  response: { 204: Type.Null({ description: 'The user was deleted.' }) },
  errors: ['userNotFound'] as const,
};

export function eraseUserRoute(app: Routes, service: Service): void {
  const operation = { method: 'DELETE', path: '/users/:userUid', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, params }) => {
    const { userId } = await findUser(service, application, params.userUid as string);
    if ((await service.storage.users.delete(application.appId, userId)) === 'unknown') {
      throw new InnkeeperError('userNotFound');
    }
    service.activity.count(application.appId, 'usersErased');
    return undefined;
  });
}
