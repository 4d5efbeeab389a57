import { etagOf, hasCurrent } from '../etag.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import { JSON_TYPE, WireText } from '../server/wire-text.ts';
import type { Written } from './written.ts';

/** A user's own data: with an ETag, and for no shared cache. */
export function answerPrivately(request: HttpRequest, reply: HttpReply, { bytes, mark }: Written): HttpReply {
  const etag = etagOf(mark);
  reply
    .header('etag', etag)
    .header('cache-control', 'private, no-cache')
    .header('vary', 'apiKey, Authorization, Origin');
  if (hasCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(JSON_TYPE).send(new WireText(bytes));
}
