import type { Service } from '../../domain/service.ts';
import { issueSpecialToken } from '../../domain/users/special-token.ts';
import { Type } from '../../schema.ts';
import { readJsonObject } from '../json-body.ts';
import { UserWithTokenAnswer } from '../schemas.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';

const schema = {
  operationId: 'issueSpecialToken',
  summary: 'Issue a new specialToken',
  description: 'For a user whose specialToken was lost or spent. Earlier unspent ones stop working.',
  tags: ['users'],
  body: Type.Object({ clientId: Type.String(), clientSecret: Type.String(), clientUserId: Type.String() }),
  response: { 200: UserWithTokenAnswer },
  errors: [
    'bodyNotJson',
    'clientIdMissing',
    'clientSecretMissingOnCreate',
    'clientUserIdMissing',
    'applicationUnknown',
    'secretWrong',
    'clientUserUnknown',
    'tooManyFailures',
    'unavailable',
  ],
} satisfies RouteSchema;

export function specialTokenRoute(app: Routes, service: Service): void {
  app.post('/api/v2/app/special-token', { schema }, async (request, reply) => {
    const { clientId, clientSecret, clientUserId } = readJsonObject(request);
    request.about = { clientId };
    reply.header('cache-control', 'no-store');
    return issueSpecialToken(service, {
      clientId,
      clientSecret,
      clientUserId,
      admission: request.admission,
    });
  });
}
