import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Service } from '../../domain/service.ts';
import { getAccessToken } from '../../domain/users/get-access-token.ts';
import { readJsonObject } from '../json-body.ts';
import { ErrorAnswer } from '../schemas.ts';

export const GET_ACCESS_TOKEN_PATH = '/oauth/v2/get-access-token';

const schema = {
  summary: 'Get access token',
  tags: ['users'],
  body: Type.Object({ clientSecret: Type.String(), specialToken: Type.String() }),
  response: {
    200: Type.Object({
      service_user_code: Type.String({ format: 'uuid' }),
      name: Type.String(),
      email: Type.String({ description: 'the clientUserId when it is an e-mail address, otherwise ""' }),
      access_token: Type.String(),
      token_type: Type.Literal('Bearer'),
      expires_in: Type.Integer({ description: 'seconds' }),
    }),
    400: ErrorAnswer,
  },
};

/** SPEC.md 4.2 */
export function getAccessTokenRoute(app: FastifyInstance, service: Service): void {
  app.post(GET_ACCESS_TOKEN_PATH, { schema }, async (request, reply) => {
    const { clientSecret, specialToken } = readJsonObject(request);
    reply.header('cache-control', 'no-store');
    const grant = await getAccessToken(service, { clientSecret, specialToken });
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
