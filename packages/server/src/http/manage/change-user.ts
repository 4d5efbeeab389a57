import { InnkeeperError } from '../../domain/errors.ts';
import { whyMissing } from '../../domain/required.ts';
import type { Service } from '../../domain/service.ts';
import { findUser } from '../../domain/users/find-user.ts';
import { updateUser } from '../../domain/users/update-user.ts';
import { Type } from '../../schema.ts';
import { USER_STATUSES, type UserChange } from '../../storage/port.ts';
import type { Routes } from '../server/routes.ts';

import { refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { UserParams, UserShape } from './schemas.ts';
import { viewUser } from './views.ts';

const schema = {
  operationId: 'changeUser',
  summary: 'Rename, suspend or resume a user',
  description:
    'Changes all given fields or none. A suspended user gets no access token, and existing ones count as revoked.',
  params: UserParams,
  body: Type.Object({
    clientUserName: Type.Optional(Type.String()),
    clientUserId: Type.Optional(Type.String({ description: 'unique in the application' })),
    status: Type.Optional(Type.Enum([...USER_STATUSES])),
  }),
  response: { 200: Type.Object(UserShape) },
  errors: ['userNotFound', 'clientUserIdTaken'] as const,
};

export function changeUserRoute(app: Routes, service: Service): void {
  const operation = { method: 'PATCH', path: '/users/:userUid', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, params, readBody }) => {
    const change = readChange(readBody());
    const { userId } = await findUser(service, application, params.userUid as string);
    try {
      const user = await updateUser(service, application, userId, change);
      if (!user) throw new InnkeeperError('userNotFound');
      return viewUser(user);
    } catch (error) {
      throw takenOr(error);
    }
  });
}

/** The interface of applications has codes of its own for it. */
export function takenOr(error: unknown): unknown {
  const isTaken = error instanceof InnkeeperError && ['duplicateUser', 'profileExists'].includes(error.error);
  return isTaken ? new InnkeeperError('clientUserIdTaken') : error;
}

export function refuseUnusable(names: Pick<UserChange, 'clientUserName' | 'clientUserId'>): void {
  for (const [field, value] of Object.entries(names)) {
    const problem = value === undefined ? undefined : whyMissing(value);
    if (problem !== undefined) throw refuse(field, problem);
  }
}

function readChange({ clientUserName, clientUserId, status }: UserChange): UserChange {
  refuseUnusable({
    ...(clientUserName !== undefined && { clientUserName }),
    ...(clientUserId !== undefined && { clientUserId }),
  });
  return {
    ...(clientUserName !== undefined && { clientUserName }),
    ...(clientUserId !== undefined && { clientUserId }),
    ...(status !== undefined && { status }),
  };
}
