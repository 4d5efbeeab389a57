import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { createUser } from '../../domain/users/create-user.ts';
import { readJsonObject } from '../json-body.ts';
import { ErrorAnswer, UserWithTokenAnswer } from '../schemas.ts';

const schema = {
  summary: 'Create application user',
  tags: ['users'],
  headers: Type.Object({
    'idempotency-key': Type.Optional(Type.String({ description: 'makes a repeat within 24 hours safe' })),
  }),
  body: Type.Object({
    clientId: Type.String(),
    clientSecret: Type.String(),
    clientUserId: Type.String({ description: 'unique per application; may be an e-mail address' }),
    clientUserName: Type.String({ description: 'display name' }),
  }),
  response: { 200: UserWithTokenAnswer, 400: ErrorAnswer, 422: ErrorAnswer },
};

/** SPEC.md 4.1 */
export function createUserRoute(app: FastifyInstance, service: Service): void {
  app.post('/api/v2/app/create-user', { schema }, async (request, reply) => {
    const { clientId, clientSecret, clientUserId, clientUserName } = readJsonObject(request);
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    reply.header('cache-control', 'no-store');
    return createUser(service, { clientId, clientSecret, clientUserId, clientUserName, idempotencyKey });
  });
}

function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = String(header);
  if (key.trim() === '' || key.length > 255) throw new InnkeeperError('idempotencyKeyUnusable');
  return key;
}
