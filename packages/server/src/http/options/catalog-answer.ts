import type { Application } from '../../domain/applications/application.ts';
import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { directlyOrInSlices, type Steps } from '../../domain/slices.ts';
import { etagOf, hasCurrent } from '../etag.ts';
import { linkHeader, type Query, readParameter } from '../paging.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import type { Route } from '../server/routes.ts';
import { JSON_TYPE, WireText } from '../server/wire-text.ts';
import { identifyApplication, peekApplication } from './api-key.ts';
import type { CatalogCache, ReadyAnswer } from './catalog-cache.ts';
import type { Wording } from './catalog-views.ts';

export type CatalogRequest = {
  catalog: CompiledCatalog;
  query: Query;
  params: Record<string, string>;
};

export type CatalogSource = { service: Service; cache: CatalogCache };

/** A parsed read: `name` covers everything that affects the body, except the revision and the language. */
export type CatalogRead = { name: string; make(wording: Wording): Made | Steps<Made> };

type Made = { text: string; page?: ReadyAnswer['page'] };

/**
 * Answers a catalog read from memory: the first request of its kind in a revision makes the bytes, and all later ones
 * get the same without waiting. `resolve` reads the request and throws if it is invalid.
 */
export function answerFromCatalog(
  { service, cache }: CatalogSource,
  request: HttpRequest,
  reply: HttpReply,
  resolve: (request: CatalogRequest) => CatalogRead,
): HttpReply | Promise<HttpReply> {
  const answer = (appId: number, catalog: CompiledCatalog): HttpReply | Promise<HttpReply> => {
    const { headers, params, query } = request;
    const { path } = request.route as Route;
    const { language, only } = readWording(catalog, query, headers['accept-language']);
    const { name, make } = resolve({ catalog, query, params });
    const fullName = `${appId} ${catalog.revision} ${path} ${language?.tag}${only ? '!' : ''} ${name}`;
    const kept = cache.get(fullName);
    if (kept) return send(kept);
    const ready = cache.make(fullName, appId, () => {
      const made = make({ language, only });
      const written = 'text' in made ? made : directlyOrInSlices(made);
      return written instanceof Promise ? written.then(makeReady) : makeReady(written);
    });
    return ready instanceof Promise ? ready.then(send) : send(ready);
  };
  const send = (ready: ReadyAnswer): HttpReply => {
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
    return answer(appId, await service.catalogs.get(appId));
  };
  const application = peekApplication(service, request, reply);
  const catalog = application && service.catalogs.peek(application.appId);
  return catalog ? answer(application.appId, catalog) : load(application);
}

/** The cache does not count a kept target, so it must be short. */
const SHORT_TARGET = 256;

/** Most requests for a page are written the same way as the last one. */
function linkOf(ready: ReadyAnswer, { url, query, route }: HttpRequest): string | undefined {
  if (!ready.page) return undefined;
  if (ready.lastLink?.url === url) return ready.lastLink.text;
  const text = linkHeader((route as Route).path, query, ready.page);
  if (url.length <= SHORT_TARGET) ready.lastLink = { url, text };
  return text;
}

/**
 * Node copies a string of this size once more for each response, to join it with the head; bytes are passed on without
 * a copy.
 */
const LONG = 12 * 1024;

function makeReady({ text, page }: Made): ReadyAnswer {
  const bytes = Buffer.from(text);
  const body = bytes.length > LONG ? bytes : new WireText(bytes.toString('latin1'));
  return { body, etag: etagOf(bytes), page };
}

/** `language` by name or tag; without it, by Accept-Language, then the default. */
export function readWording({ languages }: CompiledCatalog, query: Query, acceptLanguage: string | undefined): Wording {
  const asked = readParameter(query, 'language');
  if (asked === undefined) return { language: languages.negotiate(acceptLanguage), only: false };
  return { language: findLanguage(languages, asked), only: true };
}

export function findLanguage(languages: CompiledCatalog['languages'], asked: string, field = '') {
  const language = languages.find(asked);
  if (language) return language;
  const allowed = languages.all.flatMap(({ name, tag }) => [name, tag]);
  const fields = [{ field: `${field}language`, message: 'is not a language of this application', allowed }];
  throw new InnkeeperError('languageUnknown', { fields });
}
