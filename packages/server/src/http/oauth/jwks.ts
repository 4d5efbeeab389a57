import type { JWK } from 'jose';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';

export const JWKS_PATH = '/oauth/v2/jwks';

const schema = {
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
  app.get(JWKS_PATH, { schema }, async (_request, reply) => {
    // The first key of an algorithm signs immediately, maybe in another replica. If the database is down, use the keys
    // known here.
    await refresh().catch(() => {});
    reply.header('cache-control', 'public, max-age=300');
    return { keys: publishedKeys() };
  });
}
