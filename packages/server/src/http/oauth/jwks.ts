import type { FastifyInstance } from 'fastify';
import type { JWK } from 'jose';
import { Type } from 'typebox';

export const JWKS_PATH = '/oauth/v2/jwks';

const schema = {
  summary: 'Public keys of the access tokens (RFC 7517)',
  tags: ['tokens'],
  response: { 200: Type.Object({ keys: Type.Array(Type.Object({}, { additionalProperties: true })) }) },
};

export function jwksRoute(app: FastifyInstance, publishedKeys: () => JWK[]): void {
  app.get(JWKS_PATH, { schema }, async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=300');
    return { keys: publishedKeys() };
  });
}
