import type { JWK } from 'jose';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { INTROSPECT_PATH, REVOKE_PATH } from './token-endpoints.ts';

export const JWKS_PATH = '/oauth/v2/jwks';

const jwksSchema = {
  operationId: 'getJwks',
  summary: 'Public keys of access tokens and receipts (RFC 7517)',
  description: 'Keys that no longer sign stay in the list, so that receipts can be verified years later.',
  tags: ['tokens'],
  response: {
    200: Type.Object({ keys: Type.Array(Type.Object({ kty: Type.String() }, { additionalProperties: true })) }),
  },
  errors: [],
} satisfies RouteSchema;

export function jwksRoute(app: Routes, { refresh }: Pick<Service, 'refresh'>, publishedKeys: () => JWK[]): void {
  app.get(JWKS_PATH, { schema: jwksSchema }, async (_request, reply) => {
    // The first key of an algorithm signs immediately, maybe in another replica. If the database is down, use the keys
    // known here.
    await refresh().catch(() => {});
    reply.header('cache-control', 'public, max-age=300');
    return { keys: publishedKeys() };
  });
}

const AUTH_METHODS = ['client_secret_basic', 'client_secret_post'];

const Texts = Type.Array(Type.String());

const metadataSchema = {
  operationId: 'getAuthorizationServerMetadata',
  summary: 'Authorization server metadata (RFC 8414)',
  tags: ['tokens'],
  response: {
    200: Type.Object({
      issuer: Type.String(),
      jwks_uri: Type.String(),
      introspection_endpoint: Type.String(),
      introspection_endpoint_auth_methods_supported: Texts,
      revocation_endpoint: Type.String(),
      revocation_endpoint_auth_methods_supported: Texts,
      response_types_supported: Texts,
      grant_types_supported: Texts,
      service_documentation: Type.String(),
    }),
  },
  errors: [],
} satisfies RouteSchema;

/** No grant of RFC 6749 is offered, so there is no token_endpoint: access tokens come from get-access-token. */
export function metadataRoute(app: Routes, service: Service): void {
  const { pathname } = new URL(service.publicUrl);
  const path = '/.well-known/oauth-authorization-server';
  // RFC 8414 3.1 puts the well-known part between host and path. A proxy may strip that path, so both are served.
  for (const url of new Set([path, path + pathname.replace(/\/$/, '')])) {
    app.get(url, { schema: { ...metadataSchema, hide: url !== path } }, async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=300');
      return metadataOf(service.publicUrl);
    });
  }
}

function metadataOf(issuer: string) {
  return {
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
}
