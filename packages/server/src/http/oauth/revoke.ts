import type { Service } from '../../domain/service.ts';
import { revokeToken } from '../../domain/users/access-tokens.ts';
import { Type } from '../../schema.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { CLIENT_REQUEST_ERRORS, ClientRequestBody, readClientRequest } from './client-request.ts';

export const REVOKE_PATH = '/oauth/v2/revoke';

const schema = {
  operationId: 'revokeToken',
  summary: 'Revoke an access token (RFC 7009)',
  tags: ['tokens'],
  // Or client_id and client_secret in the form.
  security: [{ basic: [] }, {}],
  consumes: 'application/x-www-form-urlencoded',
  body: ClientRequestBody,
  response: { 200: Type.Null({ description: 'The token is revoked, or was not valid.' }) },
  errors: CLIENT_REQUEST_ERRORS,
} satisfies RouteSchema;

export function revokeRoute(app: Routes, service: Service): void {
  app.post(REVOKE_PATH, { schema, oauthErrors: true }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const { application, token } = await readClientRequest(service, request);
    await revokeToken(service, application, token);
    return reply.code(200).send();
  });
}
