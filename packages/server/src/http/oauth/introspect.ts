import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Service } from '../../domain/service.ts';
import { introspectToken } from '../../domain/users/introspect-token.ts';
import { OAuthErrorAnswer } from '../schemas.ts';
import { readClientRequest } from './client-request.ts';

export const INTROSPECT_PATH = '/oauth/v2/introspect';

const schema = {
  summary: 'Introspect an access token (RFC 7662)',
  tags: ['tokens'],
  security: [{ basic: [] }],
  response: {
    200: Type.Object({
      active: Type.Boolean(),
      iss: Type.Optional(Type.String()),
      sub: Type.Optional(Type.String()),
      aud: Type.Optional(Type.String()),
      client_id: Type.Optional(Type.String()),
      username: Type.Optional(Type.String()),
      token_type: Type.Optional(Type.String()),
      iat: Type.Optional(Type.Integer()),
      exp: Type.Optional(Type.Integer()),
    }),
    400: OAuthErrorAnswer,
    401: OAuthErrorAnswer,
  },
};

export function introspectRoute(app: FastifyInstance, service: Service, issuer: string): void {
  app.post(INTROSPECT_PATH, { schema, config: { oauthErrors: true } }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const { application, token } = await readClientRequest(service, request);
    const user = await introspectToken(service, application, token);
    if (!user) return { active: false };
    return {
      active: true,
      iss: issuer,
      sub: user.userId,
      aud: application.clientId,
      client_id: application.clientId,
      username: user.clientUserId,
      token_type: 'Bearer',
      iat: Math.floor(user.token.issuedAt / 1000),
      exp: Math.floor(user.token.expiresAt / 1000),
    };
  });
}
