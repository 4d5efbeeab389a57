import type { Application } from '../../domain/applications/application.ts';
import { actingAs } from '../../domain/audit/actor.ts';
import { type ErrorName, InnkeeperError } from '../../domain/errors.ts';
import { type Access, includesAccess } from '../../domain/manage/access.ts';
import { authorizeManager, type Presented } from '../../domain/manage/authorize-manager.ts';
import type { Manager } from '../../domain/manage/manager.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import type { Static, TSchema } from '../../schema.ts';
import { readAuthorization } from '../authorization.ts';
import { hasCurrent } from '../etag.ts';
import { readJsonObject } from '../json-body.ts';
import type { Query } from '../paging.ts';
import type { BodyStream, HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import type { Route, RouteSchema, Routes } from '../server/routes.ts';
import { JSON_TYPE } from '../server/wire-text.ts';
import { viewDraft, viewEdit } from './draft-views.ts';
import { encodeAnswer } from './encode-answer.ts';
import { readParameters, requireShape } from './input.ts';
import { refuseForeignPage } from './own-page.ts';
import { ApplicationParams, BreakingMembers, ChangedMembers, NotModified, withParams } from './schemas.ts';
import { readSessionCookie } from './session-cookie.ts';
import { viewRevision } from './views.ts';
import { hidesAddresses, withoutAddress } from './without-addresses.ts';

/** What a route of /manage/v1 says of itself: requests are checked against `body` and `querystring`. */
type Described = Omit<RouteSchema, 'tags' | 'security' | 'body' | 'querystring'> & {
  body?: TSchema;
  querystring?: TSchema;
  errors?: readonly ErrorName[];
};

type Sent<S, Part extends 'body' | 'querystring'> =
  S extends Record<Part, infer Shape extends TSchema> ? Static<Shape> : unknown;

export type Operation<S extends Described = Described> = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** After /manage/v1, or after the application. */
  path: string;
  schema: S;
  /** What it takes of an application; unless told, GET takes read and anything else write. */
  access?: Access;
  bodyLimit?: number;
  /** A GET whose answer is more than its ETag tells: it is never 304. */
  alwaysNew?: boolean;
};

export type ManageRequest<S = unknown> = {
  request: HttpRequest;
  reply: HttpReply;
  manager: Manager;
  params: Record<string, string>;
  /** As it was sent. */
  query: Query;
  body: Buffer;
  /** Checked against the schemas of the operation; throws 9400 with every problem. */
  readQuery(): Sent<S, 'querystring'>;
  readBody(): Sent<S, 'body'>;
};

/** A person in the portal. */
export type AccountRequest<S = unknown> = ManageRequest<S> & { signedIn: NonNullable<Manager['signedIn']> };

export type ApplicationRequest<S = unknown> = ManageRequest<S> & { application: Application };

const PREFIX = '/manage/v1';
const MANAGE_ERRORS: ErrorName[] = [
  'manageTokenMissing',
  'manageTokenInvalid',
  'sessionEnded',
  'tooManyFailures',
  'unavailable',
];

/** An operation that is about no application, or about all of them. Answers 204 for nothing. */
export function manageRoute<S extends Described>(
  app: Routes,
  service: Service,
  operation: Operation<S>,
  handle: (request: ManageRequest<S>) => Promise<object | undefined>,
): void {
  const admitted = new WeakMap<HttpRequest, Manager>();
  addRoute(app, operation, `${PREFIX}${operation.path}`, operation.schema, MANAGE_ERRORS, {
    async admit(request) {
      admitted.set(request, await admitManager(service, request));
    },
    handle(request, reply) {
      const manager = admitted.get(request) as Manager;
      return actingAs(manager.author, () => handle(toManageRequest<S>(request, reply, manager)));
    },
  });
}

/** An operation on one application, which the manager has to be allowed to. */
export function applicationRoute<S extends Described>(
  app: Routes,
  service: Service,
  operation: Operation<S>,
  handle: (request: ApplicationRequest<S>) => Promise<object | undefined>,
): void {
  const access = operation.access ?? (operation.method === 'GET' ? 'read' : 'write');
  const admitted = new WeakMap<HttpRequest, { manager: Manager; application: Application }>();
  const errors: ErrorName[] = [...MANAGE_ERRORS, 'applicationNotFound'];
  if (access !== 'read') errors.push('manageForbidden');
  const schema = { ...operation.schema, access, params: withParams(ApplicationParams, operation.schema.params) };
  addRoute(app, operation, `${PREFIX}/applications/:clientId${operation.path}`, schema, errors, {
    async admit(request) {
      const manager = await admitManager(service, request);
      const { clientId } = request.params as { clientId: string };
      const application = await service.applications.findByClientId(clientId);
      const held = application && manager.accessTo(application.appId);
      if (!application || !held) throw new InnkeeperError('applicationNotFound');
      if (!includesAccess(held, access)) throw forbidden(access, held);
      admitted.set(request, { manager, application });
    },
    handle(request, reply) {
      const { manager, application } = admitted.get(request) as { manager: Manager; application: Application };
      return actingAs(manager.author, () => handle({ ...toManageRequest<S>(request, reply, manager), application }));
    },
    hidesAddresses(request) {
      const { manager, application } = admitted.get(request) as { manager: Manager; application: Application };
      return hidesAddresses(manager.accessTo(application.appId));
    },
  });
}

/** An operation on the account of the signed-in person. Tokens are not accepted: a leaked one could create more. */
export function accountRoute<S extends Described>(
  app: Routes,
  service: Service,
  operation: Operation<S>,
  handle: (request: AccountRequest<S>) => Promise<object | undefined>,
): void {
  const admitted = new WeakMap<HttpRequest, Manager>();
  const errors: ErrorName[] = [...MANAGE_ERRORS, 'sessionNeeded'];
  const schema = { ...operation.schema, security: [{ portalSession: [] }] };
  addRoute(app, operation, `${PREFIX}${operation.path}`, schema, errors, {
    async admit(request) {
      const manager = await admitManager(service, request);
      if (!manager.signedIn) throw new InnkeeperError('sessionNeeded');
      admitted.set(request, manager);
    },
    handle(request, reply) {
      const manager = admitted.get(request) as Manager;
      const signedIn = manager.signedIn as NonNullable<Manager['signedIn']>;
      return actingAs(manager.author, () => handle({ ...toManageRequest<S>(request, reply, manager), signedIn }));
    },
  });
}

/** What is asked without a token or session: its body says who may. From our own page alone, as what comes of it is a cookie. */
export function entranceRoute<S extends Described>(
  app: Routes,
  service: Service,
  operation: Operation<S>,
  handle: (request: Omit<ManageRequest<S>, 'manager'>) => Promise<object | undefined>,
): void {
  const errors: ErrorName[] = ['tooManyFailures', 'unavailable'];
  addRoute(app, operation, `${PREFIX}${operation.path}`, { ...operation.schema, security: [] }, errors, {
    async admit(request) {
      if (operation.method !== 'GET') refuseForeignPage(request, service.publicUrl);
    },
    handle: (request, reply) => handle(toRequest<S>(request, reply)),
  });
}

function forbidden(needed: Access, held: Access): InnkeeperError {
  return new InnkeeperError('manageForbidden', {
    message: `This requires access "${needed}" to the application; you have "${held}".`,
  });
}

type Steps = {
  /** Before the body is read: strangers cannot make us take in a large one. */
  admit(request: HttpRequest): Promise<void>;
  handle(request: HttpRequest, reply: HttpReply): Promise<object | undefined>;
  hidesAddresses?(request: HttpRequest): boolean;
};

function addRoute(
  app: Routes,
  { method, bodyLimit, alwaysNew = false }: Operation,
  url: string,
  schema: RouteSchema,
  errors: readonly ErrorName[],
  { admit, handle, hidesAddresses: hides = () => false }: Steps,
): void {
  const own: readonly ErrorName[] = schema.errors ?? [];
  const takesInput = schema.body !== undefined || schema.querystring !== undefined;
  const all = new Set<ErrorName>([...own, ...(takesInput ? (['manageBadRequest'] as const) : []), ...errors]);
  if (method !== 'GET') all.add('foreignPage');
  app.add({
    method,
    path: url,
    schema: {
      ...schema,
      tags: ['manage'],
      security: schema.security ?? [{ manageToken: [] }, { portalSession: [] }],
      errors: [...all],
      response: {
        ...(method === 'GET' && !alwaysNew && { 304: NotModified }),
        ...(all.has('catalogBreaking') && { 409: BreakingMembers }),
        ...((all.has('catalogChanged') || all.has('draftChanged')) && { 412: ChangedMembers }),
        ...(schema.response as Record<number, TSchema>),
      },
    },
    ...(bodyLimit !== undefined && { bodyLimit }),
    admit,
    async handler(request, reply) {
      reply.header('cache-control', 'no-store');
      try {
        // A body may take its time to come: who was let in for it may no longer be.
        if (schema.body !== undefined) await admit(request);
        const answer = await handle(request, reply);
        if (answer === undefined) return reply.code(204).send();
        const isFile = answer instanceof FileAnswer;
        if (isFile) reply.header('content-disposition', `attachment; filename="${answer.name}"`);
        if (isFile && typeof answer.content !== 'string')
          return reply.stream(`${answer.type}; charset=utf-8`, answer.content);
        const replace = hides(request) ? withoutAddress : undefined;
        const { body, etag } = await inSlices(encodeAnswer(isFile ? answer.content : answer, replace));
        if (method === 'GET' && !alwaysNew && hasNewest(request, reply, etag)) return reply.code(304).send();
        return reply.type(isFile ? `${answer.type}; charset=utf-8` : JSON_TYPE).send(body);
      } catch (error) {
        throw inOwnWords(error, hides(request));
      }
    },
  });
}

async function admitManager(service: Service, request: HttpRequest): Promise<Manager> {
  const presented = readPresented(request, service.publicUrl);
  const manager = await authorizeManager(service, presented);
  if (manager.signedIn && request.method !== 'GET' && request.method !== 'HEAD') {
    refuseForeignPage(request, service.publicUrl);
  }
  return manager;
}

function readPresented({ headers }: HttpRequest, publicUrl: string): Presented {
  const credentials = readAuthorization(headers.authorization);
  if (credentials.kind === 'bearer') return { token: credentials.accessToken };
  if (credentials.kind !== 'none') return { token: '' };
  const session = readSessionCookie(headers.cookie, publicUrl);
  return session === undefined ? {} : { session };
}

function toManageRequest<S>(request: HttpRequest, reply: HttpReply, manager: Manager): ManageRequest<S> {
  return { ...toRequest<S>(request, reply), manager };
}

function toRequest<S>(request: HttpRequest, reply: HttpReply): Omit<ManageRequest<S>, 'manager'> {
  const { body, querystring } = (request.route as Route).schema as Described;
  const query = request.query as Query;
  return {
    request,
    reply,
    params: request.params as Record<string, string>,
    query,
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    readQuery: () => readParameters(querystring as TSchema, query) as Sent<S, 'querystring'>,
    readBody: () => requireShape(body as TSchema, readJsonObject(request)) as Sent<S, 'body'>,
  };
}

/** What is answered as it is, to be saved under a name of ASCII letters, digits, dots and dashes. */
export class FileAnswer {
  readonly type: string;
  readonly name: string;
  readonly content: string | BodyStream;

  constructor(type: string, name: string, content: string | BodyStream) {
    this.type = type;
    this.name = name;
    this.content = content;
  }
}

/** The answer has the ETag that the operation gave it, or one of its bytes. */
function hasNewest(request: HttpRequest, reply: HttpReply, ofBytes: string): boolean {
  const etag = reply.getHeader('etag') ?? ofBytes;
  reply.header('etag', etag).header('cache-control', 'private, no-cache').header('vary', 'Authorization, Cookie');
  return hasCurrent(request.headers['if-none-match'], etag);
}

type Changed = {
  revisions: Parameters<typeof viewRevision>[0][];
  edits: Parameters<typeof viewEdit>[0][];
  draft: Parameters<typeof viewDraft>[0] | null;
};

/** What is shared with the other areas answers with their codes; here it is 9400. */
function inOwnWords(error: unknown, hides: boolean): unknown {
  if (!(error instanceof InnkeeperError)) return error;
  const { message, fields, headers, more } = error;
  if (['badParameter', 'bodyNotJson', 'usersBadRequest'].includes(error.error)) {
    return new InnkeeperError('manageBadRequest', { message, ...(fields && { fields }) });
  }
  if (error.status === 412) {
    const { revisions, edits, draft } = more as Partial<Changed>;
    const told = {
      ...more,
      ...(revisions && { revisions: revisions.map(viewRevision) }),
      ...(edits && { edits: edits.map(viewEdit) }),
      ...(draft && { draft: viewDraft(draft) }),
    };
    return new InnkeeperError(error.error, {
      message,
      headers,
      ...(fields && { fields }),
      more: hides ? JSON.parse(JSON.stringify(told, withoutAddress)) : told,
    });
  }
  return error;
}
