import type { FieldError } from '../domain/errors.ts';
import { InnkeeperError } from '../domain/errors.ts';
import type { Steps } from '../domain/slices.ts';
import { PAGE_BYTES, takePage } from '../page-bytes.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

export type Page = { offset: number; limit: number };
export type Query = Record<string, string | string[] | undefined>;

/** Limit defaults to 50 and is clamped to 200; anything but a whole number from 0 is error 1009. */
export function readPage(query: Query): Page {
  return {
    offset: Math.min(readCount(query, 'offset') ?? 0, Number.MAX_SAFE_INTEGER),
    limit: Math.min(readCount(query, 'limit') ?? DEFAULT_LIMIT, MAX_LIMIT),
  };
}

function readCount(query: Query, name: string): number | undefined {
  const text = readParameter(query, name);
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw badParameter([{ field: name, message: 'must be a whole number, 0 or more' }]);
  return Number(text);
}

/** A query parameter that may appear only once. */
export function readParameter(query: Query, name: string): string | undefined {
  const value = query[name];
  if (Array.isArray(value)) throw badParameter([{ field: name, message: 'must be given once' }]);
  return value;
}

/** The same for a UID: an empty one is rejected, which is not the same as an unknown one. */
export function readUidParameter(query: Query, name: string): string | undefined {
  const uid = readParameter(query, name);
  if (uid?.trim() === '') throw badParameter([{ field: name, message: 'is empty' }]);
  return uid;
}

/** Maximum problems in a response: the next try reports the rest. */
const MAX_SHOWN = 200;

export function badParameter(problems: FieldError[]): InnkeeperError {
  const fields = problems.slice(0, MAX_SHOWN);
  const [first] = fields;
  return new InnkeeperError('badParameter', { fields, ...(first && { message: `${first.field} ${first.message}.` }) });
}

/**
 * If the page ended early because of its size (page-bytes.ts), its limit is the number of items in it, so the next page
 * continues there.
 */
export function toPage<T>(items: T[], total: number, { offset, limit }: Page): Listing<T> {
  const isCut = items.length < limit && offset + items.length < total;
  return { items, total, offset, limit: isCut ? items.length : limit };
}

export type Listing<T> = { items: T[]; total: number; offset: number; limit: number };

export function toListing<T>(all: readonly T[], page: Page, sizeOf: (item: T) => number = () => 0): Listing<T> {
  return toPage(takePage(all.slice(page.offset, page.offset + page.limit), sizeOf), all.length, page);
}

/** The same as JSON text, for items that differ a lot in size: items are written one by one until the page is full. */
export function* writeListing<T>(
  all: readonly T[],
  page: Page,
  write: (item: T, index: number) => Steps<string>,
): Steps<{ text: string; page: Page & { total: number } }> {
  const items: string[] = [];
  let size = 0;
  for (const item of all.slice(page.offset, page.offset + page.limit)) {
    const text = yield* write(item, items.length);
    items.push(text);
    size += text.length;
    if (size >= PAGE_BYTES) break;
  }
  const { total, offset, limit } = toPage(items, all.length, page);
  const text = `{"items":[${items.join()}],"total":${total},"offset":${offset},"limit":${limit}}`;
  return { text, page: { total, offset, limit } };
}

/** Parameters that links to other pages keep, besides offset and limit: others did not affect the page. */
const LINKED = new Set([
  'language',
  'option_group_uid',
  'option_group_name',
  'option_key_uid',
  'effective',
  'user_uid',
  'search',
  'missing',
  'draft',
]);

/** RFC 8288: links to the neighbouring pages. */
export function linkHeader(
  path: string,
  query: Query,
  { total, offset, limit }: Page & { total: number },
): string | undefined {
  if (limit === 0) return undefined;
  const last = Math.max(0, Math.ceil(total / limit) - 1) * limit;
  let start = `${path}?`;
  for (const name in query) {
    const value = query[name];
    if (typeof value === 'string' && LINKED.has(name)) start += `${new URLSearchParams({ [name]: value })}&`;
  }
  const link = (relation: string, at: number): string => `<${start}offset=${at}&limit=${limit}>; rel="${relation}"`;
  const links = [link('first', 0)];
  if (offset > 0) links.push(link('prev', Math.max(0, Math.min(offset - limit, last))));
  if (offset + limit < total) links.push(link('next', offset + limit));
  links.push(link('last', last));
  return links.join(', ');
}
