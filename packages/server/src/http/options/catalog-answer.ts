import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { etagOf, hasCurrent } from '../etag.ts';
import { JSON_TYPE } from '../json-body.ts';
import { type Listing, linkHeader, type Query, readParameter } from '../paging.ts';
import { headLine, headLines } from '../ready-head.ts';
import { toWireBytes, WireText } from '../wire-text.ts';
import { identifyApplication } from './api-key.ts';
import type { Wording } from './catalog-views.ts';

/** Bytes that answers of one revision may take up together; beyond it the least recently made ones go. */
const KEPT_BYTES = 16 * 1024 * 1024;

type ReadyAnswer = {
  body: WireText;
  etag: string;
  /** Names and values in turn; those of an answer that says that nothing changed, and what one with the body has besides. */
  headers: readonly string[];
  bodyHeaders: readonly string[];
  /** The same as they are sent; the length is still to be told. */
  lines: string;
  bodyLines: string;
  length: readonly string[];
  route: string;
  params: Record<string, string>;
};
type ReadyAnswers = { answers: Map<string, ReadyAnswer>; bytes: number };

/** Kept, but asked about every time: a new revision shows within a second. */
const READ_HEADERS = [
  'vary',
  'apiKey, Accept-Language, Origin',
  'cache-control',
  'public, no-cache',
  'x-content-type-options',
  'nosniff',
];

const ready = new WeakMap<CompiledCatalog, ReadyAnswers>();

export type CatalogRequest = {
  catalog: CompiledCatalog;
  query: Query;
  params: Record<string, string>;
  wording: Wording;
};

/**
 * Answers a read of the catalog with ready-made bytes: the first request of its kind in a revision
 * makes them, all others, whoever asks, get the same ones.
 */
export async function answerFromCatalog(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  make: (request: CatalogRequest) => object,
): Promise<FastifyReply> {
  const application = await identifyApplication(service, request, reply);
  const catalog = service.catalogs.peek(application.appId) ?? (await service.catalogs.get(application.appId));
  const { url, headers } = request;
  const answer = findReady(catalog, url, headers['accept-language']) ?? makeAnswer(catalog, request, make);
  const isCurrent = hasCurrent(headers['if-none-match'], answer.etag);
  const answerHeaders = isCurrent ? answer.headers : [...answer.headers, ...answer.bodyHeaders];
  for (let at = 0; at < answerHeaders.length; at += 2) {
    reply.header(answerHeaders[at] as string, answerHeaders[at + 1]);
  }
  return isCurrent ? reply.code(304).send() : reply.sendWire(answer.body);
}

/** What was answered before to the same question. */
export function findReady(catalog: CompiledCatalog, url: string, acceptLanguage: string | undefined) {
  return ready.get(catalog)?.answers.get(nameOf(url, acceptLanguage));
}

function nameOf(url: string, acceptLanguage: string | undefined): string {
  return acceptLanguage === undefined ? url : `${url}\n${acceptLanguage}`;
}

function makeAnswer(
  catalog: CompiledCatalog,
  request: FastifyRequest,
  make: (request: CatalogRequest) => object,
): ReadyAnswer {
  const query = request.query as Query;
  const wording = readWording(catalog, query, request.headers['accept-language']);
  const params = request.params as Record<string, string>;
  const route = request.routeOptions.url as string;
  const value = make({ catalog, query, params, wording });
  const body = new WireText(toWireBytes(JSON.stringify(value)));
  const etag = etagOf(body.toBuffer());
  const link = 'items' in value ? linkHeader(route, query, value as Listing<unknown>) : undefined;
  const headers = ['etag', etag, ...READ_HEADERS, ...(link === undefined ? [] : ['link', link])];
  const lines = headLines(headers);
  const answer = {
    ...{ body, etag, route, params, headers, lines },
    bodyHeaders: ['content-type', JSON_TYPE],
    bodyLines: lines + headLine('content-type', JSON_TYPE),
    length: ['content-length', `${body.bytes.length}`],
  };
  // What nobody documents shapes no answer: it would only be kept once more.
  const described = request.routeOptions.schema?.querystring as { properties?: object } | undefined;
  if (Object.keys(query).every((name) => Object.hasOwn(described?.properties ?? {}, name))) {
    keep(catalog, nameOf(request.url, request.headers['accept-language']), answer);
  }
  return answer;
}

function keep(catalog: CompiledCatalog, name: string, answer: ReadyAnswer): void {
  const kept = ready.get(catalog) ?? { answers: new Map(), bytes: 0 };
  ready.set(catalog, kept);
  kept.answers.set(name, answer);
  kept.bytes += sizeOf(name, answer);
  for (const [oldName, old] of kept.answers) {
    if (kept.bytes <= KEPT_BYTES) return;
    kept.answers.delete(oldName);
    kept.bytes -= sizeOf(oldName, old);
  }
}

function sizeOf(name: string, answer: ReadyAnswer): number {
  return answer.body.bytes.length + name.length * 2 + 1000;
}

/** `language` by name or tag; without it what Accept-Language asks for, then the default (CONTRACT.md section 3). */
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
