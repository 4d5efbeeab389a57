import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { INTROSPECT_PATH } from './introspect.ts';
import { JWKS_PATH } from './jwks.ts';
import { REVOKE_PATH } from './revoke.ts';

const AUTH_METHODS = ['client_secret_basic', 'client_secret_post'];

const schema = {
  summary: 'Authorization server metadata (RFC 8414)',
  tags: ['tokens'],
  response: { 200: Type.Object({}, { additionalProperties: true }) },
};

/** No grant of RFC 6749 is offered, so there is no token_endpoint: access tokens come from get-access-token. */
export function metadataRoute(app: FastifyInstance, issuer: string): void {
  const { pathname } = new URL(issuer);
  // RFC 8414 3.1 puts the well-known part between host and path; a proxy may strip that path, so both are served.
  const metadata = {
    issuer,
    jwks_uri: issuer + JWKS_PATH,
    introspection_endpoint: issuer + INTROSPECT_PATH,
    introspection_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint: issuer + REVOKE_PATH,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    response_types_supported: [],
    grant_types_supported: [],
    service_documentation: `${issuer}/docs`,
  };
  const path = '/.well-known/oauth-authorization-server';
  for (const url of new Set([path, path + pathname.replace(/\/$/, '')])) {
    app.get(url, { schema }, async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=300');
      return metadata;
    });
  }
}
