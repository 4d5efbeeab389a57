import type { Application } from '../../domain/applications/application.ts';
import type { Group, Language } from '../../domain/catalog/catalog.ts';
import type { CompiledCatalog, PlacedKey } from '../../domain/catalog/compile.ts';
import { type FieldError, InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { directlyOrInSlices, type Steps } from '../../domain/slices.ts';
import { inNfc } from '../../nfc.ts';
import { linkHeader, type Query, readParameter } from '../paging.ts';
import { etagOf, hasCurrent } from '../request-headers.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import { JSON_TYPE, WireText } from '../server/request-and-reply.ts';
import { identifyApplication, peekApplication } from './api-key.ts';
import type { CatalogCache, ReadyResponse } from './catalog-cache.ts';

export type CatalogRequest = {
  catalog: CompiledCatalog;
  query: Query;
  params: Record<string, string>;
};

export type CatalogSource = { service: Service; cache: CatalogCache };

/** A parsed read: `name` covers everything that affects the body, except the revision and the language. */
export type CatalogRead = { name: string; make(wording: Wording): Made | Steps<Made> };

type Made = { text: string; page?: ReadyResponse['page'] };

/**
 * Serves a catalog read from memory: the first request of its kind in a revision makes the bytes, and all later ones
 * get the same without waiting. `resolve` reads the request and throws if it is invalid.
 */
export function respondFromCatalog(
  { service, cache }: CatalogSource,
  request: HttpRequest,
  reply: HttpReply,
  resolve: (request: CatalogRequest) => CatalogRead,
): HttpReply | Promise<HttpReply> {
  const respond = (appId: number, catalog: CompiledCatalog): HttpReply | Promise<HttpReply> => {
    const { headers, params, query } = request;
    const { language, only } = readWording(catalog, query, headers['accept-language']);
    const { name, make } = resolve({ catalog, query, params });
    const fullName = `${appId} ${catalog.revision} ${request.route?.path} ${language?.tag}${only ? '!' : ''} ${name}`;
    const kept = cache.get(fullName);
    if (kept) return send(kept);
    const ready = cache.make(fullName, appId, () => {
      const made = make({ language, only });
      const written = 'text' in made ? made : directlyOrInSlices(made);
      return written instanceof Promise ? written.then(makeReady) : makeReady(written);
    });
    return ready instanceof Promise ? ready.then(send) : send(ready);
  };
  const send = (ready: ReadyResponse): HttpReply => {
    // May be stored, but must be revalidated every time, so that a new revision shows within a second.
    reply
      .header('etag', ready.etag)
      .header('vary', 'apiKey, Accept-Language, Origin')
      .header('cache-control', 'public, no-cache');
    const link = linkOf(ready, request);
    if (link !== undefined) reply.header('link', link);
    if (hasCurrent(request.headers['if-none-match'], ready.etag)) return reply.code(304).send();
    return reply.type(JSON_TYPE).send(ready.body);
  };
  const load = async (known: Application | undefined): Promise<HttpReply> => {
    const { appId } = known ?? (await identifyApplication(service, request, reply));
    return respond(appId, await service.catalogs.get(appId));
  };
  const application = peekApplication(service, request, reply);
  const catalog = application && service.catalogs.peek(application.appId);
  return catalog ? respond(application.appId, catalog) : load(application);
}

/** The cache does not count a kept target, so it must be short. */
const SHORT_TARGET = 256;

/** Most requests for a page are written the same way as the last one. */
function linkOf(ready: ReadyResponse, { url, query, route }: HttpRequest): string | undefined {
  if (!ready.page) return undefined;
  if (ready.lastLink?.url === url) return ready.lastLink.text;
  const text = linkHeader(route?.path ?? '', query, ready.page);
  if (url.length <= SHORT_TARGET) ready.lastLink = { url, text };
  return text;
}

/**
 * Node copies a string of this size once more for each response, to join it with the head; bytes are passed on without
 * a copy.
 */
const LONG = 12 * 1024;

function makeReady({ text, page }: Made): ReadyResponse {
  const bytes = Buffer.from(text);
  const body = bytes.length > LONG ? bytes : new WireText(bytes.toString('latin1'));
  return { body, etag: etagOf(bytes), page };
}

/** The language of labels, and whether translations are limited to it. */
export type Wording = { language: Language | undefined; only: boolean };

/** `language` by name or tag; without it, by Accept-Language, then the default. */
export function readWording({ languages }: CompiledCatalog, query: Query, acceptLanguage: string | undefined): Wording {
  const given = readParameter(query, 'language');
  if (given === undefined) return { language: languages.negotiate(acceptLanguage), only: false };
  return { language: findLanguage(languages, given), only: true };
}

export function findLanguage(languages: CompiledCatalog['languages'], given: string, field = '') {
  const language = languages.find(given);
  if (language) return language;
  const allowed = languages.all.flatMap(({ name, tag }) => [name, tag]);
  const fields = [{ field: `${field}language`, message: 'is not a language of this application', allowed }];
  throw new InnkeeperError('languageUnknown', { fields });
}

/**
 * JSON as sent (WireText), and a shorter text to derive its ETag from: the same, but with each part that many users
 * share replaced by that part's own tag. It differs whenever the bytes do, and is a tenth as long to hash.
 */
export type Written = { bytes: string; mark: string };

/**
 * A user's own data: has an ETag and is not for shared caches. For one record, the ETag starts with the record's own
 * (`tag`), so that it can be sent as If-Match; the rest distinguishes labels and languages.
 */
export function respondPrivately(
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

/**
 * Finds a group by uid, name or both: 1004 if there is none, 1010 if they disagree. `field` prefixes names in errors;
 * archived groups are found only on request.
 */
export function findGroup(
  catalog: CompiledCatalog,
  uid: string | undefined,
  name: string | undefined,
  { field = '', archivedToo = false }: { field?: string; archivedToo?: boolean } = {},
): Group | undefined {
  if (uid === undefined && name === undefined) return undefined;
  const archived = archivedToo ? catalog : undefined;
  const byUid = uid === undefined ? undefined : (catalog.groupByUid.get(uid) ?? archived?.archivedGroupByUid.get(uid));
  const meant = name === undefined ? undefined : inNfc(name);
  const byName =
    meant === undefined ? undefined : (catalog.groupByName.get(meant) ?? archived?.archivedGroupByName.get(meant));

  const missing: FieldError[] = [];
  if (uid !== undefined && !byUid)
    missing.push({ field: `${field}option_group_uid`, message: 'does not match any group' });
  if (name !== undefined && !byName)
    missing.push({ field: `${field}option_group_name`, message: 'does not match any group' });
  if (missing.length > 0) throw new InnkeeperError('groupNotFound', { fields: missing });
  if (byUid && byName && byUid !== byName) {
    const fields = [{ field: `${field}option_group_name`, message: `is not the name of that group: ${byUid.name}` }];
    throw new InnkeeperError('groupsDisagree', { fields });
  }
  return byUid ?? byName;
}

/** Finds a key by uid, archived or not: 1005 if there is none. */
export function findKey(catalog: CompiledCatalog, uid: string): PlacedKey {
  const placed = catalog.keyByUid.get(uid);
  if (placed) return placed;
  const fields = [{ field: 'option_key_uid', message: 'does not match any key' }];
  throw new InnkeeperError('keyNotFound', { fields });
}
