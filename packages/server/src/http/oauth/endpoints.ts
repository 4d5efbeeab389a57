import type { JWK } from 'jose';
import type { Application } from '../../domain/applications/application.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { introspectToken, revokeToken } from '../../domain/users/credentials.ts';
import { Type } from '../../schema.ts';
import { readAuthorization } from '../request-headers.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';

/** What the operations on a token have in common. */
const CLIENT_REQUEST = {
  tags: ['tokens'],
  // Or client_id and client_secret in the form.
  security: [{ basic: [] }, {}],
  consumes: 'application/x-www-form-urlencoded',
  body: Type.Object({
    token: Type.String(),
    token_type_hint: Type.Optional(Type.String({ description: 'accepted, not required' })),
    client_id: Type.Optional(Type.String({ description: 'if HTTP Basic is not used' })),
    client_secret: Type.Optional(Type.String({ description: 'if HTTP Basic is not used' })),
  }),
  errors: ['clientCredentialsWrong', 'tokenParameterMissing', 'tooManyFailures', 'unavailable', 'tokenServiceDown'],
} satisfies RouteSchema;

/** The application and the token of an OAuth request, by client_secret_basic or client_secret_post. */
async function readClientRequest(
  service: Service,
  request: HttpRequest,
): Promise<{ application: Application; token: string }> {
  const form = new URLSearchParams(request.body?.toString('utf8'));
  const credentials = readAuthorization(request.headers.authorization);
  const [clientId, clientSecret] =
    credentials.kind === 'basic'
      ? [credentials.clientId, credentials.clientSecret]
      : [form.get('client_id') ?? '', form.get('client_secret') ?? ''];

  request.about = { clientId };
  const application = await service.applications.findByClientId(clientId);
  if (!application || !(await service.applications.hasSecret(application, clientSecret, service.now()))) {
    throw new InnkeeperError('clientCredentialsWrong');
  }
  request.admission.admitApplication(application, 'users');
  const token = form.get('token');
  if (!token) throw new InnkeeperError('tokenParameterMissing');
  return { application, token };
}

const INTROSPECT_PATH = '/oauth/v2/introspect';

const introspectSchema = {
  ...CLIENT_REQUEST,
  operationId: 'introspectToken',
  summary: 'Introspect an access token (RFC 7662)',
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
} satisfies RouteSchema;

const REVOKE_PATH = '/oauth/v2/revoke';

const revokeSchema = {
  ...CLIENT_REQUEST,
  operationId: 'revokeToken',
  summary: 'Revoke an access token (RFC 7009)',
  response: { 200: Type.Null({ description: 'The token is revoked, or was not valid.' }) },
} satisfies RouteSchema;

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
export function oauthRoutes(app: Routes, service: Service, publishedKeys: () => JWK[]): void {
  const { pathname } = new URL(service.publicUrl);
  const path = '/.well-known/oauth-authorization-server';
  // RFC 8414 3.1 puts the well-known part between host and path. A proxy may strip that path, so both are served.
  for (const url of new Set([path, path + pathname.replace(/\/$/, '')])) {
    app.get(url, { schema: { ...metadataSchema, hide: url !== path } }, async (_request, reply) => {
      reply.header('cache-control', 'public, max-age=300');
      const issuer = service.publicUrl;
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
    });
  }

  app.get(JWKS_PATH, { schema: jwksSchema }, async (_request, reply) => {
    // The first key of an algorithm signs immediately, maybe in another replica. If the database is down, use the keys
    // known here.
    await service.refresh().catch(() => {});
    reply.header('cache-control', 'public, max-age=300');
    return { keys: publishedKeys() };
  });

  app.post(INTROSPECT_PATH, { schema: introspectSchema, oauthErrors: true }, async (request, reply) => {
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

  app.post(REVOKE_PATH, { schema: revokeSchema, oauthErrors: true }, async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const { application, token } = await readClientRequest(service, request);
    await revokeToken(service, application, token);
    return reply.code(200).send();
  });
}
