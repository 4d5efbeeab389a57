import { type Hash, hash } from 'node:crypto';
import type { Credentials } from '../domain/users/credentials.ts';

/** Reads the Authorization header (RFC 7617 and RFC 6750). The scheme is case-insensitive. */
export function readAuthorization(header: string | undefined): Credentials {
  if (header === undefined) return { kind: 'none' };
  const match = /^(basic|bearer) +(\S+) *$/i.exec(header);
  if (!match) return { kind: 'unreadable' };
  const [, scheme, value] = match as unknown as [string, string, string];
  if (scheme.toLowerCase() === 'bearer') return { kind: 'bearer', accessToken: value };
  const pair = Buffer.from(value, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 0) return { kind: 'unreadable' };
  return { kind: 'basic', clientId: formDecode(pair.slice(0, colon)), clientSecret: formDecode(pair.slice(colon + 1)) };
}

/**
 * RFC 6749 2.3.1 has OAuth clients form-encode both parts; plain HTTP clients do not. Our credentials never contain a
 * percent sign, so both forms decode to the same text.
 */
function formDecode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Further ranges are ignored: real headers name a few. */
const MAX_RANGES = 50;

type Range = { type: string; subtype: string; quality: number };

/** Whether Accept ranks a media type higher than another (RFC 9110 12.5.1). */
export function prefersType(accept: string, type: string, other: string): boolean {
  const ranges = accept.split(',', MAX_RANGES).map(readRange);
  return qualityOf(ranges, type) > qualityOf(ranges, other);
}

/** The quality of the most specific range that matches; 0: not acceptable. */
function qualityOf(ranges: readonly Range[], mediaType: string): number {
  const [type, subtype] = mediaType.split('/');
  const find = (wantedType: string | undefined, wantedSubtype: string | undefined) =>
    ranges.find((range) => range.type === wantedType && range.subtype === wantedSubtype);
  return (find(type, subtype) ?? find(type, '*') ?? find('*', '*'))?.quality ?? 0;
}

function readRange(text: string): Range {
  const [range = '', ...parameters] = text.toLowerCase().split(';');
  const [type = '', subtype = ''] = range.trim().split('/');
  const q = parameters.map((parameter) => /^\s*q=([\d.]{1,5})\s*$/.exec(parameter)?.[1]).find(Boolean);
  return { type, subtype, quality: q === undefined ? 1 : Number(q) };
}

/** A strong validator: equal tags mean equal bytes. */
export function etagOf(body: string | Buffer): string {
  return writeEtag(hash('sha256', body, 'base64url'));
}

/** The same of a body whose pieces were added to a hash (SHA-256). */
export function etagOfHash(hash: Hash): string {
  return writeEtag(hash.digest('base64url'));
}

function writeEtag(digest: string): string {
  return `"${digest.slice(0, 22)}"`;
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
