import type { Answering, Asked } from '../asked.ts';
import { etagOf, hasCurrent } from '../etag.ts';
import { JSON_TYPE } from '../json-body.ts';
import { WireText } from '../wire-text.ts';
import type { Written } from './written.ts';

/** A user's own data: with an ETag, and for no shared cache. */
export function answerPrivately(request: Asked, reply: Answering, { bytes, mark }: Written): Answering {
  const etag = etagOf(mark);
  reply
    .header('etag', etag)
    .header('cache-control', 'private, no-cache')
    .header('vary', 'apiKey, Authorization, Origin');
  if (hasCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(JSON_TYPE).sendWire(new WireText(bytes));
}
