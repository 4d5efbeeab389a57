import type { Service } from '../../domain/service.ts';
import { createUser } from '../../domain/users/create-user.ts';
import { Type } from '../../schema.ts';
import { readJsonObject } from '../json-body.ts';
import { UserWithTokenAnswer } from '../schemas.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';

const schema = {
  operationId: 'createUser',
  summary: 'Create application user',
  description: 'Returns a specialToken, which get-access-token exchanges for an access token.',
  tags: ['users'],
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(Type.String({ description: 'makes a retry within 24 hours safe' })),
  }),
  body: Type.Object({
    clientId: Type.String(),
    clientSecret: Type.String(),
    clientUserId: Type.String({ description: 'unique per application; may be an e-mail address' }),
    clientUserName: Type.String({ description: 'display name' }),
  }),
  response: { 200: UserWithTokenAnswer },
  errors: [
    'bodyNotJson',
    'clientIdMissing',
    'clientSecretMissingOnCreate',
    'clientUserIdMissing',
    'clientUserNameMissing',
    'applicationUnknown',
    'secretWrong',
    'duplicateUser',
    'profileExists',
    'idempotencyKeyUnusable',
    'idempotencyMismatch',
    'tooManyFailures',
    'unavailable',
  ],
} satisfies RouteSchema;

export function createUserRoute(app: Routes, service: Service): void {
  app.post('/api/v2/app/create-user', { schema }, async (request, reply) => {
    const { clientId, clientSecret, clientUserId, clientUserName } = readJsonObject(request);
    request.about = { clientId };
    const idempotencyKey = request.headers['idempotency-key']?.toString();
    reply.header('cache-control', 'no-store');
    return createUser(service, {
      clientId,
      clientSecret,
      clientUserId,
      clientUserName,
      idempotencyKey,
      admission: request.admission,
    });
  });
}
