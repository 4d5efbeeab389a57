import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Service } from '../../domain/service.ts';
import { revokeToken } from '../../domain/users/revoke-token.ts';
import { OAuthErrorAnswer } from '../schemas.ts';
import { readClientRequest } from './client-request.ts';

export const REVOKE_PATH = '/oauth/v2/revoke';

const schema = {
  summary: 'Revoke an access token (RFC 7009)',
  tags: ['tokens'],
  security: [{ basic: [] }],
  response: { 200: Type.Null(), 400: OAuthErrorAnswer, 401: OAuthErrorAnswer },
};

export function revokeRoute(app: FastifyInstance, service: Service): void {
  app.post(REVOKE_PATH, { schema, config: { oauthErrors: true } }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const { application, token } = await readClientRequest(service, request);
    await revokeToken(service, application, token);
    return reply.code(200).send();
  });
}
