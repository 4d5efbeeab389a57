import type { Service } from '../../domain/service.ts';
import { getAccessToken } from '../../domain/users/get-access-token.ts';
import { issueSpecialToken } from '../../domain/users/special-token.ts';
import { Type } from '../../schema.ts';
import { readJsonObject } from '../bodies.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { UserWithTokenResponse } from './users.ts';

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

export function specialTokenRoute(app: Routes, service: Service): void {
  app.post('/api/v2/app/special-token', { schema: specialTokenSchema }, async (request, reply) => {
    const { clientId, clientSecret, clientUserId } = readJsonObject(request);
    request.about = { clientId };
    reply.header('cache-control', 'no-store');
    return issueSpecialToken(service, {
      clientId,
      clientSecret,
      clientUserId,
      admission: request.admission,
    });
  });
}

const GET_ACCESS_TOKEN_PATH = '/oauth/v2/get-access-token';

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

export function getAccessTokenRoute(app: Routes, service: Service): void {
  app.post(GET_ACCESS_TOKEN_PATH, { schema: accessTokenSchema, wrongMethod: 'onlyPost' }, async (request, reply) => {
    const { clientSecret, specialToken } = readJsonObject(request);
    reply.header('cache-control', 'no-store');
    request.about = {};
    const grant = await getAccessToken(service, {
      clientSecret,
      specialToken,
      about: request.about,
      admission: request.admission,
    });
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
