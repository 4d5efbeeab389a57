import type { FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, hasCurrent } from '../etag.ts';

/** Of a body that is JSON already. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** A user's own data: with an ETag, and for no shared cache. */
export function answerPrivately(request: FastifyRequest, reply: FastifyReply, body: string): FastifyReply {
  const etag = etagOf(body);
  reply
    .header('etag', etag)
    .header('cache-control', 'private, no-cache')
    .header('vary', 'apiKey, Authorization, Origin');
  if (hasCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(JSON_TYPE).send(body);
}
