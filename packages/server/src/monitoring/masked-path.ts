import { readUuid } from '../domain/users/user-code.ts';
import { mask, maskName, maskPath } from './logging.ts';
import { isHarmless, MASKED, shorten } from './masked-body.ts';

const PERSONAL_PARTS = new Set(['serviceUserCode', 'clientUserId', 'user_options_uid']);
export type SentPath = {
  url: string;
  /** The route pattern; undefined if no route matched. */
  route: string | undefined;
  params: Record<string, string | undefined>;
  query: URLSearchParams;
};

export function readPath(url: string, route: string | undefined, params: unknown): SentPath {
  const at = url.indexOf('?');
  const query = new URLSearchParams(at < 0 ? '' : url.slice(at));
  return { url: at < 0 ? url : url.slice(0, at), route, params: (params ?? {}) as SentPath['params'], query };
}

/** The path as sent, as far as it may be stored. */
export function maskSentPath({ url, route, params, query }: SentPath, isFull: boolean): string {
  const path =
    route === undefined
      ? maskPath(url)
      : route
          .split('/')
          .map((part) => (part.startsWith(':') ? maskPart(part.slice(1), params[part.slice(1)] ?? '', isFull) : part))
          .join('/');
  const parameters = [...query].slice(0, 20).map(([name, value]) => {
    const isKept = isHarmless(name, value) || (isFull && name === 'user_uid' && readUuid(value) !== undefined);
    const shown = isKept ? encodeURIComponent(shorten(mask(value), 100)) : MASKED;
    return `${maskName(name)}=${shown}`;
  });
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
}

function maskPart(name: string, value: string, isFull: boolean): string {
  if (PERSONAL_PARTS.has(name)) return isFull && readUuid(value) !== undefined ? value : MASKED;
  return isHarmless(name, value) ? value : MASKED;
}
