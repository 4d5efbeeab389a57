import type { Service } from '../../domain/service.ts';
import { introspectToken } from '../../domain/users/access-tokens.ts';
import { Type } from '../../schema.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { CLIENT_REQUEST_ERRORS, ClientRequestBody, readClientRequest } from './client-request.ts';

export const INTROSPECT_PATH = '/oauth/v2/introspect';

const schema = {
  operationId: 'introspectToken',
  summary: 'Introspect an access token (RFC 7662)',
  tags: ['tokens'],
  // Or client_id and client_secret in the form.
  security: [{ basic: [] }, {}],
  consumes: 'application/x-www-form-urlencoded',
  body: ClientRequestBody,
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
  },
  errors: CLIENT_REQUEST_ERRORS,
} satisfies RouteSchema;

export function introspectRoute(app: Routes, service: Service): void {
  app.post(INTROSPECT_PATH, { schema, oauthErrors: true }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const { application, token } = await readClientRequest(service, request);
    const user = await introspectToken(service, application, token);
    if (!user) return { active: false };
    return {
      active: true,
      iss: service.publicUrl,
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
