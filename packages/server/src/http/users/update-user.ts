import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { readUserChange, updateUser } from '../../domain/users/update-user.ts';
import { Type } from '../../schema.ts';
import { USER_STATUSES } from '../../storage/port.ts';
import { readJsonObject } from '../json-body.ts';
import type { Routes } from '../server/routes.ts';
import { userRoute } from './user-routes.ts';
import { UserAnswer, viewUser } from './user-view.ts';

const schema = {
  operationId: 'updateApplicationUser',
  summary: 'Rename, suspend or resume a user',
  description:
    'Changes the given fields, all or none. A suspended user gets no access token (0002), their access tokens count as ' +
    'revoked, and saving or reading by user_uid returns 1013; `{"status":"active"}` restores all of it.',
  body: Type.Object({
    clientUserName: Type.Optional(Type.String({ description: 'display name' })),
    clientUserId: Type.Optional(Type.String({ description: 'unique per application' })),
    status: Type.Optional(Type.Enum([...USER_STATUSES])),
  }),
  response: { 200: UserAnswer },
  errors: [
    'bodyNotJson',
    'clientUserNameMissing',
    'clientUserIdMissing',
    'usersBadRequest',
    'duplicateUser',
    'profileExists',
  ] as const,
};

export function updateApplicationUserRoute(app: Routes, service: Service): void {
  userRoute(app, service, { method: 'PATCH', schema }, async ({ request, application, user }) => {
    const updated = await updateUser(service, application, user.userId, readUserChange(readJsonObject(request)));
    if (!updated) throw new InnkeeperError('userUnknown');
    return viewUser(updated);
  });
}
