import { etagOf, hasCurrent } from '../etag.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import { JSON_TYPE, WireText } from '../server/wire-text.ts';
import type { Written } from './written.ts';

/**
 * A user's own data: has an ETag and is not for shared caches. For one record, the ETag starts with the record's own
 * (`tag`), so that it can be sent as If-Match; the rest distinguishes labels and languages.
 */
export function answerPrivately(
  request: HttpRequest,
  reply: HttpReply,
  { bytes, mark }: Written,
  tag?: string,
): HttpReply {
  const etag = tag === undefined ? etagOf(mark) : `"${tag}.${etagOf(mark).slice(1)}`;
  reply
    .header('etag', etag)
    .header('cache-control', 'private, no-cache')
    .header('vary', 'apiKey, Authorization, Accept-Language, Origin');
  if (hasCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(JSON_TYPE).send(new WireText(bytes));
}
