import type { Service } from '../../domain/service.ts';
import { deleteUser } from '../../domain/users/delete-user.ts';
import { Type } from '../../schema.ts';
import { readAuthorization } from '../authorization.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { schemaOf, WAYS_TO_USER, WITHOUT_CODE } from './user-routes.ts';

const schema = {
  operationId: 'deleteUser',
  summary: 'Delete user',
  description:
    "Deletes the user with all of their data. Send HTTP Basic with clientId and clientSecret, or the user's own access token as Bearer.",
  security: [{ basic: [] }, { bearer: [] }],
  response: { 204: Type.Null({ description: 'The user was deleted.' }) },
  errors: ['applicationUnknown', 'credentialsWrong', 'tooManyFailures', 'unavailable', 'tokenServiceDown'],
} satisfies RouteSchema;

export function deleteUserRoute(app: Routes, service: Service): void {
  for (const way of [...WAYS_TO_USER, WITHOUT_CODE]) {
    app.delete(way.path, { schema: schemaOf(schema, way) }, async (request, reply) => {
      const { clientId = '' } = request.params;
      request.about = { clientId };
      const credentials = readAuthorization(request.headers.authorization);
      const path = way.read(request.params);
      await deleteUser(service, { clientId, path, credentials, admission: request.admission });
      return reply.code(204).send();
    });
  }
}
