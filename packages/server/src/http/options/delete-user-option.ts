import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { EXAMPLE } from '../examples.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { readUserOptionRequest } from './find-user-option.ts';
import { READ_SECURITY, UserOptionParams, UserUidQuery } from './get-user-option.ts';
import { queryOf, USER_ERRORS } from './schemas.ts';

const schema = {
  operationId: 'deleteUserOption',
  summary: 'Unset a user option',
  tags: ['options'],
  security: READ_SECURITY,
  params: UserOptionParams,
  querystring: queryOf(UserUidQuery),
  response: { 204: Type.Null({ description: 'The default applies again.' }) },
  errors: [...USER_ERRORS, 'selectionNotFound'],
  examples: {
    saved: {
      summary: 'A saved option',
      params: { user_options_uid: EXAMPLE.userOptionsUid },
      query: { user_uid: EXAMPLE.userCode },
      status: 204,
    },
  },
} satisfies RouteSchema;

/** CONTRACT.md section 3 */
export function deleteUserOptionRoute(app: Routes, service: Service): void {
  app.delete('/api/user_options/:user_options_uid', { schema }, async (request, reply) => {
    const { user, means, selectionId } = await readUserOptionRequest(service, request, reply);
    const outcome = await service.storage.selections.unset(user.userId, selectionId, { at: service.now(), means });
    if (outcome === 'unknown') throw new InnkeeperError('selectionNotFound');
    service.activity.count(user.appId, 'selectionsUnset');
    return reply.code(204).send();
  });
}
