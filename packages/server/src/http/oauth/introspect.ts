import type { Service } from '../../domain/service.ts';
import { introspectToken } from '../../domain/users/introspect-token.ts';
import { Type } from '../../schema.ts';
import { EXAMPLE } from '../examples.ts';
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
  examples: {
    live: {
      summary: 'A valid token',
      body: { token: EXAMPLE.accessToken },
      status: 200,
      answer: {
        active: true,
        iss: EXAMPLE.publicUrl,
        sub: EXAMPLE.userCode,
        aud: EXAMPLE.clientId,
        client_id: EXAMPLE.clientId,
        username: EXAMPLE.clientUserId,
        token_type: 'Bearer',
        iat: 1764000000,
        exp: 1764003600,
      },
    },
    notLive: {
      summary: 'An unknown, expired or revoked token',
      body: { token: 'made up', client_id: EXAMPLE.clientId, client_secret: EXAMPLE.clientSecret },
      status: 200,
      answer: { active: false },
    },
  },
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
