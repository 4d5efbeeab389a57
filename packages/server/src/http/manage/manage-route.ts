import type { Application } from '../../domain/applications/application.ts';
import { actingAs } from '../../domain/audit.ts';
import { type ErrorName, InnkeeperError } from '../../domain/errors.ts';
import { includesAccess } from '../../domain/manage/access.ts';
import { authorizeManager, type Manager, type Presented } from '../../domain/manage/authorize-manager.ts';
import type { Service } from '../../domain/service.ts';
import { inSlices } from '../../domain/slices.ts';
import { NotModified, type Static, type TObject, type TSchema, Type } from '../../schema.ts';
import { readJsonObject } from '../bodies.ts';
import { type Listing, linkHeader, type Query as RawQuery } from '../paging.ts';
import { hasCurrent, readAuthorization } from '../request-headers.ts';
import type { BodyStream, HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import { JSON_TYPE } from '../server/request-and-reply.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { encodeResponse } from './encode-response.ts';
import { forbidden, readParameters, requireShape } from './input.ts';
import { ApplicationParams, BreakingMembers, ChangedMembers } from './schemas.ts';
import { readSessionCookie, refuseForeignPage } from './session-cookie.ts';
import { hidesAddresses, viewDraft, viewEdit, viewRevision, withoutAddress } from './views.ts';

type Replaced = 'tags' | 'security' | 'params' | 'body' | 'querystring';

/** The documentation and the handler of a /manage/v1 route. Requests are checked against `body` and `querystring`. */
type Operation<Call, Body, Query, Names extends string = string> = Omit<RouteSchema, Replaced> & {
  params?: TObject<Record<Names, TSchema>>;
  body?: Body;
  querystring?: Query;
  bodyLimit?: number;
  /** A GET whose response has more in it than its ETag covers: the status is never 304. */
  alwaysNew?: boolean;
  /** Returns the body of the success that `response` describes, or nothing for 204. */
  // biome-ignore lint/suspicious/noConfusingVoidType: handlers without a response body need not return anything.
  handle(call: Call): Promise<object | void>;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Schema = TSchema | undefined;
type Sent<Shape> = Shape extends TSchema ? Static<Shape> : unknown;

/** `Names` are the parameters in its path. */
type Unadmitted<Body, Query, Names extends string = string> = {
  request: HttpRequest;
  reply: HttpReply;
  params: Record<Names, string>;
  /** As it was sent. */
  query: RawQuery;
  body: Buffer;
  /** Checked against the schemas of the operation; throws 9400 with every problem. */
  readQuery(): Sent<Query>;
  readBody(): Sent<Body>;
  /** Sets the Link header with the neighbouring pages, and returns the page. */
  linked<T>(listing: Listing<T>): Listing<T>;
};

type ManageRequest<Body, Query, Names extends string> = Unadmitted<Body, Query, Names> & {
  manager: Manager;
  /** Checks again that the caller may do this. Throws if access was revoked since. */
  checkAccess(): Promise<void>;
};

/** From a person signed in to the portal. */
export type AccountRequest<Body = undefined, Query = undefined, Names extends string = never> = ManageRequest<
  Body,
  Query,
  Names
> & {
  signedIn: NonNullable<Manager['signedIn']>;
};

export type ApplicationRequest<Body = undefined, Query = undefined, Names extends string = never> = ManageRequest<
  Body,
  Query,
  Names
> & {
  application: Application;
};

const PREFIX = '/manage/v1';
const MANAGE_ERRORS: ErrorName[] = [
  'manageTokenMissing',
  'manageTokenInvalid',
  'sessionEnded',
  'tooManyFailures',
  'unavailable',
];

export type ManageRoutes = ReturnType<typeof createManageRoutes>;

/** Adds operations, by who may call them. */
export function createManageRoutes(app: Routes, service: Service) {
  return {
    /** An operation about no single application. */
    manageRoute<Body extends Schema = undefined, Query extends Schema = undefined, Names extends string = never>(
      method: Method,
      path: string,
      operation: Operation<ManageRequest<Body, Query, Names>, Body, Query, Names>,
    ): void {
      addRoute(app, method, path, operation, MANAGE_ERRORS, async (request) => ({
        manager: await admitManager(service, request),
      }));
    },

    /** An operation on one application. Unless `access` says otherwise, GET requires read and anything else write. */
    applicationRoute<Body extends Schema = undefined, Query extends Schema = undefined, Names extends string = never>(
      method: Method,
      path: string,
      operation: Operation<ApplicationRequest<Body, Query, Names>, Body, Query, Names>,
    ): void {
      const access = operation.access ?? (method === 'GET' ? 'read' : 'write');
      const errors: ErrorName[] = [...MANAGE_ERRORS, 'applicationNotFound'];
      if (access !== 'read') errors.push('manageForbidden');
      const params = Type.Object({ ...ApplicationParams.properties, ...operation.params?.properties });
      const whole = { ...operation, access, params };
      addRoute(app, method, `/applications/:clientId${path}`, whole, errors, async (request) => {
        const manager = await admitManager(service, request);
        const application = await service.applications.findByClientId(request.params.clientId ?? '');
        const held = application && manager.accessTo(application.appId);
        if (!application || !held) throw new InnkeeperError('applicationNotFound');
        if (!includesAccess(held, access))
          throw forbidden(`This requires access "${access}" to the application; you have "${held}".`);
        return { manager, application };
      });
    },

    /** An operation on the account of the signed-in person. Tokens are not accepted: a leaked one could create more. */
    accountRoute<Body extends Schema = undefined, Query extends Schema = undefined, Names extends string = never>(
      method: Method,
      path: string,
      operation: Operation<AccountRequest<Body, Query, Names>, Body, Query, Names>,
    ): void {
      const whole = { ...operation, security: [{ portalSession: [] }] };
      addRoute(app, method, path, whole, [...MANAGE_ERRORS, 'sessionNeeded'], async (request) => {
        const manager = await admitManager(service, request);
        const { signedIn } = manager;
        if (!signedIn) throw new InnkeeperError('sessionNeeded');
        return { manager, signedIn };
      });
    },

    /**
     * An operation without token or session: its body has the credentials. Only accepted from our own page, because it
     * sets a cookie.
     */
    entranceRoute<Body extends Schema = undefined, Query extends Schema = undefined, Names extends string = never>(
      method: Method,
      path: string,
      operation: Operation<Unadmitted<Body, Query, Names>, Body, Query, Names>,
    ): void {
      addRoute(
        app,
        method,
        path,
        { ...operation, security: [] },
        ['tooManyFailures', 'unavailable'],
        async (request) => {
          if (method !== 'GET') refuseForeignPage(request, service.publicUrl);
          return {};
        },
      );
    },
  };
}

type Admitted = { manager?: Manager; application?: Application };
type Checked<More> = More & { checkAccess(): Promise<void> };

function addRoute<More extends Admitted, Body extends Schema, Query extends Schema>(
  app: Routes,
  method: Method,
  path: string,
  operation: Operation<Unadmitted<Body, Query> & Checked<More>, Body, Query> & Pick<RouteSchema, 'security'>,
  errors: readonly ErrorName[],
  /** Runs before the body is read, so that strangers cannot make us read a large one. */
  admit: (request: HttpRequest) => Promise<More>,
): void {
  const { bodyLimit, alwaysNew = false, handle, ...schema } = operation;
  const takesInput = schema.body !== undefined || schema.querystring !== undefined;
  const all = new Set<ErrorName>([
    ...(schema.errors ?? []),
    ...(takesInput ? (['manageBadRequest'] as const) : []),
    ...errors,
  ]);
  if (method !== 'GET') all.add('foreignPage');
  const success = Number(Object.keys(schema.response ?? {}).find((status) => status < '3') ?? 200);
  const isCached = method === 'GET' && !alwaysNew;
  const admitted = new WeakMap<HttpRequest, More>();
  const admitCaller = async (request: HttpRequest) => void admitted.set(request, await admit(request));
  app.add({
    method,
    path: PREFIX + path,
    schema: {
      ...schema,
      tags: ['manage'],
      security: schema.security ?? [{ manageToken: [] }, { portalSession: [] }],
      errors: [...all],
      response: {
        ...(isCached && { 304: NotModified }),
        ...(all.has('catalogBreaking') && { 409: BreakingMembers }),
        ...((all.has('catalogChanged') || all.has('draftChanged')) && { 412: ChangedMembers }),
        ...(schema.response as Record<number, TSchema>),
      },
    },
    ...(bodyLimit !== undefined && { bodyLimit }),
    admit: admitCaller,
    async handler(request, reply) {
      reply.header('cache-control', 'no-store');
      try {
        // A body may take long to arrive: access may have been revoked meanwhile.
        if (schema.body !== undefined) await admitCaller(request);
        const more = admitted.get(request) as More;
        const checkAccess = () => admitCaller(request);
        const call = { ...toRequest<Body, Query>(request, reply, schema), ...more, checkAccess };
        const result = await (more.manager ? actingAs(more.manager.author, () => handle(call)) : handle(call));
        if (!result) return reply.code(204).send();
        reply.code(success);
        const isFile = result instanceof FileResponse;
        if (isFile) reply.header('content-disposition', `attachment; filename="${result.name}"`);
        if (isFile && typeof result.content !== 'string')
          return reply.stream(`${result.type}; charset=utf-8`, result.content);
        const replace = hides(more) ? withoutAddress : undefined;
        const { body, etag } = await inSlices(encodeResponse(isFile ? result.content : result, replace));
        if (isCached && hasNewest(request, reply, etag)) return reply.code(304).send();
        return reply.type(isFile ? `${result.type}; charset=utf-8` : JSON_TYPE).send(body);
      } catch (error) {
        throw inOwnWords(error, hides(admitted.get(request) ?? {}));
      }
    },
  });
}

function hides({ manager, application }: Admitted): boolean {
  return application !== undefined && hidesAddresses(manager?.accessTo(application.appId));
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

function toRequest<Body, Query>(
  request: HttpRequest,
  reply: HttpReply,
  { body, querystring }: Pick<RouteSchema, 'body' | 'querystring'>,
): Unadmitted<Body, Query> {
  const { params, query } = request;
  return {
    request,
    reply,
    params,
    query,
    body: request.body ?? Buffer.alloc(0),
    readQuery: () => readParameters(querystring as TSchema, query) as Sent<Query>,
    readBody: () => requireShape(body as TSchema, readJsonObject(request)) as Sent<Body>,
    linked(listing) {
      const path = request.route?.path.replaceAll(/:(\w+)/g, (_, name) => params[name] ?? '') ?? '';
      const link = linkHeader(path, query, listing);
      if (link !== undefined) reply.header('link', link);
      return listing;
    },
  };
}

/** A response to be saved as a file. Its name consists of ASCII letters, digits, dots and dashes. */
export class FileResponse {
  readonly type: string;
  readonly name: string;
  readonly content: string | BodyStream;

  constructor(type: string, name: string, content: string | BodyStream) {
    this.type = type;
    this.name = name;
    this.content = content;
  }
}

/** Compares with the ETag that the operation set, or with one of the bytes. */
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

/** Shared code throws the errors of the other areas. */
const OWN_ERRORS: Partial<Record<ErrorName, ErrorName>> = {
  badParameter: 'manageBadRequest',
  bodyNotJson: 'manageBadRequest',
  usersBadRequest: 'manageBadRequest',
  duplicateUser: 'clientUserIdTaken',
  profileExists: 'clientUserIdTaken',
  userUnknown: 'userNotFound',
};

function inOwnWords(error: unknown, hides: boolean): unknown {
  if (!(error instanceof InnkeeperError)) return error;
  const { message, fields, headers, more } = error;
  const own = OWN_ERRORS[error.error];
  if (own === 'manageBadRequest') return new InnkeeperError(own, { message, ...(fields && { fields }) });
  if (own) return new InnkeeperError(own);
  if (error.status === 412) {
    const { revisions, edits, draft } = more as Partial<Changed>;
    const details = {
      ...more,
      ...(revisions && { revisions: revisions.map(viewRevision) }),
      ...(edits && { edits: edits.map(viewEdit) }),
      ...(draft && { draft: viewDraft(draft) }),
    };
    return new InnkeeperError(error.error, {
      message,
      headers,
      ...(fields && { fields }),
      more: hides ? JSON.parse(JSON.stringify(details, withoutAddress)) : details,
    });
  }
  return error;
}
