import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Service } from '../../domain/service.ts';
import { issueSpecialToken } from '../../domain/users/issue-special-token.ts';
import { readJsonObject } from '../json-body.ts';
import { ErrorAnswer, UserWithTokenAnswer } from '../schemas.ts';

const schema = {
  summary: 'Issue a fresh specialToken',
  description: 'For a user whose specialToken was lost or spent. Earlier unspent ones stop working.',
  tags: ['users'],
  body: Type.Object({ clientId: Type.String(), clientSecret: Type.String(), clientUserId: Type.String() }),
  response: { 200: UserWithTokenAnswer, 400: ErrorAnswer },
};

/** CONTRACT.md section 2 */
export function specialTokenRoute(app: FastifyInstance, service: Service): void {
  app.post('/api/v2/app/special-token', { schema }, async (request, reply) => {
    const { clientId, clientSecret, clientUserId } = readJsonObject(request);
    reply.header('cache-control', 'no-store');
    return issueSpecialToken(service, { clientId, clientSecret, clientUserId });
  });
}
