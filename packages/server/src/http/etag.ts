import { hash } from 'node:crypto';

/** A strong validator: equal tags mean equal bytes. */
export function etagOf(body: string | Buffer): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 22)}"`;
}

/** RFC 9110 13.1.2: whether the client already has this version. */
export function hasCurrent(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/**
 * The tags of an If-Match header, without quotes (RFC 9110 13.1.1); '*' for any; undefined if the header is invalid. A
 * weak tag keeps its W/, so it never equals one of ours.
 */
export function readEntityTags(header: string): '*' | string[] | undefined {
  const text = header.trim();
  if (text === '*') return '*';
  const tags: string[] = [];
  for (const part of text.split(',')) {
    const [, weak = '', tag] = /^\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*$/.exec(part) ?? [];
    if (tag === undefined) {
      // RFC 9110 5.6.1 allows empty list elements.
      if (part.trim() === '') continue;
      return undefined;
    }
    tags.push(weak + tag);
  }
  return tags.length > 0 ? tags : undefined;
}
