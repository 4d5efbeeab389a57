import type { Service } from '../../domain/service.ts';
import { issueSpecialToken } from '../../domain/users/credentials.ts';
import { getAccessToken } from '../../domain/users/get-access-token.ts';
import { createUser } from '../../domain/users/users.ts';
import { Type } from '../../schema.ts';
import { readJsonObject } from '../bodies.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';

/** The schemas here only document: the rules check requests and choose the error codes. */
const UserWithTokenResponse = Type.Object(
  {
    specialToken: Type.String({ description: 'valid for one exchange' }),
    clientId: Type.String(),
    clientUserId: Type.String(),
    clientUserName: Type.String(),
  },
  { title: 'UserWithToken' },
);

const createUserSchema = {
  operationId: 'createUser',
  summary: 'Create application user',
  description: 'Returns a specialToken, which get-access-token exchanges for an access token.',
  tags: ['users'],
  headers: Type.Object({
    'Idempotency-Key': Type.Optional(Type.String({ description: 'makes a retry within 24 hours safe' })),
  }),
  body: Type.Object({
    clientId: Type.String(),
    clientSecret: Type.String(),
    clientUserId: Type.String({ description: 'unique per application; may be an e-mail address' }),
    clientUserName: Type.String({ description: 'display name' }),
  }),
  response: { 200: UserWithTokenResponse },
  errors: [
    'bodyNotJson',
    'clientIdMissing',
    'clientSecretMissingOnCreate',
    'clientUserIdMissing',
    'clientUserNameMissing',
    'applicationUnknown',
    'secretWrong',
    'duplicateUser',
    'profileExists',
    'idempotencyKeyUnusable',
    'idempotencyMismatch',
    'tooManyFailures',
    'unavailable',
  ],
} satisfies RouteSchema;

const specialTokenSchema = {
  operationId: 'issueSpecialToken',
  summary: 'Issue a new specialToken',
  description: 'For a user whose specialToken was lost or used. Earlier unused ones stop working.',
  tags: ['users'],
  body: Type.Object({ clientId: Type.String(), clientSecret: Type.String(), clientUserId: Type.String() }),
  response: { 200: UserWithTokenResponse },
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

const accessTokenSchema = {
  operationId: 'getAccessToken',
  summary: 'Get access token',
  description: 'A specialToken is valid for one exchange, and stays valid if the token service fails (0009, 0002).',
  tags: ['users'],
  body: Type.Object({ clientSecret: Type.String(), specialToken: Type.String() }),
  response: {
    200: Type.Object(
      {
        service_user_code: Type.String({ format: 'uuid' }),
        name: Type.String(),
        email: Type.String({ description: 'the clientUserId when it is an e-mail address, otherwise ""' }),
        access_token: Type.String(),
        token_type: Type.Literal('Bearer'),
        expires_in: Type.Integer({ description: 'seconds' }),
      },
      { title: 'AccessGrant' },
    ),
  },
  errors: [
    'onlyPost',
    'bodyNotJson',
    'clientSecretMissingOnExchange',
    'specialTokenMissing',
    'secretAndTokenNotRecognised',
    'specialTokenInvalid',
    'tokenServiceUnreachable',
    'tokenNotGenerated',
    'tooManyFailures',
    'unavailable',
  ],
} satisfies RouteSchema;

/** What an application does with its clientSecret in the body. */
export function userTokenRoutes(app: Routes, service: Service): void {
  app.post('/api/v2/app/create-user', { schema: createUserSchema }, async (request, reply) => {
    const { clientId, clientSecret, clientUserId, clientUserName } = readJsonObject(request);
    const { admission, headers } = request;
    request.about = { clientId };
    const idempotencyKey = headers['idempotency-key']?.toString();
    reply.header('cache-control', 'no-store');
    return createUser(service, { clientId, clientSecret, clientUserId, clientUserName, idempotencyKey, admission });
  });

  app.post('/api/v2/app/special-token', { schema: specialTokenSchema }, async (request, reply) => {
    const { clientId, clientSecret, clientUserId } = readJsonObject(request);
    request.about = { clientId };
    reply.header('cache-control', 'no-store');
    return issueSpecialToken(service, { clientId, clientSecret, clientUserId, admission: request.admission });
  });

  const exchange = { schema: accessTokenSchema, wrongMethod: 'onlyPost' } as const;
  app.post('/oauth/v2/get-access-token', exchange, async (request, reply) => {
    const { clientSecret, specialToken } = readJsonObject(request);
    reply.header('cache-control', 'no-store');
    request.about = {};
    const { about, admission } = request;
    const grant = await getAccessToken(service, { clientSecret, specialToken, about, admission });
    return {
      service_user_code: grant.userId,
      name: grant.name,
      email: grant.email,
      access_token: grant.accessToken,
      token_type: 'Bearer' as const,
      expires_in: grant.expiresInSeconds,
    };
  });
}
