import type { Service } from '../../domain/service.ts';
import { deleteUser } from '../../domain/users/delete-user.ts';
import { Type } from '../../schema.ts';
import { readAuthorization } from '../authorization.ts';
import { EXAMPLE } from '../examples.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';

const PATH = '/api/v2/app/:clientId/users';

const schema = {
  operationId: 'deleteUser',
  summary: 'Delete user',
  description:
    'Removes the user with everything that is theirs. HTTP Basic with clientId and clientSecret, or the own access token of the user as Bearer.',
  tags: ['users'],
  params: Type.Object({ clientId: Type.String(), serviceUserCode: Type.String({ format: 'uuid' }) }),
  security: [{ basic: [] }, { bearer: [] }],
  response: { 204: Type.Null({ description: 'The user is gone.' }) },
  errors: [
    'applicationUnknown',
    'credentialsWrong',
    'userUnknown',
    'tooManyFailures',
    'unavailable',
    'tokenServiceDown',
  ],
  examples: {
    user: {
      summary: 'A user and everything that is theirs',
      params: { clientId: EXAMPLE.clientId, serviceUserCode: EXAMPLE.userCode },
      status: 204,
    },
  },
} satisfies RouteSchema;

type Params = { clientId: string; serviceUserCode?: string };

/** SPEC.md 4.3. A path that ends before the code is the same operation with the code missing (0025). */
export function deleteUserRoute(app: Routes, service: Service): void {
  for (const [path, hide] of [
    [`${PATH}/:serviceUserCode`, false],
    [`${PATH}/`, true],
    [PATH, true],
  ] as const) {
    app.delete(path, { schema: { ...schema, hide } }, async (request, reply) => {
      const { clientId, serviceUserCode } = request.params as Params;
      request.about = { clientId };
      const credentials = readAuthorization(request.headers.authorization);
      await deleteUser(service, {
        clientId,
        userCode: serviceUserCode,
        credentials,
        admission: request.admission,
      });
      return reply.code(204).send();
    });
  }
}
