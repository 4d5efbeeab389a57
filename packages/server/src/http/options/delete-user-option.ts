import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { readUserOptionRequest } from './find-user-option.ts';
import { READ_SECURITY, UserOptionParams, UserUidQuery } from './get-user-option.ts';
import { optionErrors, queryOf } from './schemas.ts';

const schema = {
  summary: 'Unset a user option',
  tags: ['options'],
  security: READ_SECURITY,
  params: UserOptionParams,
  querystring: queryOf(UserUidQuery),
  response: { 204: Type.Null(), ...optionErrors(400, 401, 404) },
};

/** CONTRACT.md section 3 */
export function deleteUserOptionRoute(app: FastifyInstance, service: Service): void {
  app.delete('/api/user_options/:user_options_uid', { schema }, async (request, reply) => {
    const { user, means, selectionId } = await readUserOptionRequest(service, request, reply);
    const outcome = await service.storage.selections.unset(user.userId, selectionId, { at: service.now(), means });
    if (outcome === 'unknown') throw new InnkeeperError('selectionNotFound');
    return reply.code(204).send();
  });
}
