import type { Service } from '../../domain/service.ts';
import { addUser } from '../../domain/users/create-user.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { Type } from '../../schema.ts';

import type { Routes } from '../server/routes.ts';
import { refuseUnusable, takenOr } from './change-user.ts';

import { applicationRoute } from './manage-route.ts';
import { UserShape } from './schemas.ts';
import { viewUser } from './views.ts';

const schema = {
  operationId: 'addUser',
  summary: 'Create a user',
  description:
    'As an application does with create-user, without a token: issue one with `POST …/users/{userUid}/special-token`.',
  body: Type.Object({
    clientUserId: Type.String({ description: 'unique in the application; may be an e-mail address' }),
    clientUserName: Type.String({ description: 'display name' }),
  }),
  response: { 201: Type.Object(UserShape) },
  errors: ['clientUserIdTaken'] as const,
};

export function addUserRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/users', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, readBody, reply }) => {
    const wanted = readBody();
    refuseUnusable(wanted);
    try {
      const { userId } = await addUser(service, application, wanted);
      reply.code(201);
      return viewUser(await findUser(service, application, userId));
    } catch (error) {
      throw takenOr(error);
    }
  });
}
