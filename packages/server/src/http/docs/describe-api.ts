import { ERRORS, type ErrorName } from '../../domain/errors.ts';
import type { Access } from '../../domain/manage/access.ts';
import { statusText } from '../server/request-and-reply.ts';
import { ANYWHERE, describeErrors, errorExamples, shareErrors } from './describe-errors.ts';
import { type DocumentedRoute, EXAMPLE, type OperationExample } from './examples.ts';
import {
  type Content,
  describeHeaders,
  type Example,
  examplesOf,
  type Json,
  type Parameter,
  type Reference,
  type ResponseObject,
  type Shape,
  SharedShapes,
  withExamples,
} from './shared-shapes.ts';

export type OpenApiDocument = {
  openapi: string;
  info: { title: string; version: string } & Json;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Json;
    schemas: Record<string, Json>;
    responses: Record<string, ResponseObject>;
    examples: Record<string, Example>;
  };
  /** What the examples use in place of ids, secrets and tokens. */
  'x-stand-ins': typeof EXAMPLE;
};

export type Operation = {
  operationId: string;
  tags: string[];
  summary?: string;
  description?: string;
  security: Record<string, string[]>[];
  /** The access to the application that the operation requires. */
  'x-access'?: Access;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, Content> };
  responses: Record<string, ResponseObject | Reference>;
};

const TAGS: Record<string, string> = {
  users:
    'Create, find, change and delete the users of an application, exchange a specialToken for an access token, create preference links.',
  tokens: 'OAuth 2.0 for access tokens: metadata, public keys, introspection, revocation.',
  options: 'Option catalogs and the selections of users.',
  events: 'Changes of users, selections and the catalog, in order.',
  manage: 'Applications, catalogs and users, for programs and the developer portal.',
  operations: 'For operators.',
};

const SECURITY_SCHEMES: Record<string, Json> = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'apiKey',
    description:
      'The clientId of the application. It is public and identifies the application. It allows reading the catalog and, unless saveByUserUid is secret or off, saving selections by user_uid.',
  },
  basic: { type: 'http', scheme: 'basic', description: 'clientId and clientSecret of the application.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The access token of a user, from get-access-token.' },
  manageToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A personal access token (ikp_…), from `innkeeper token create`.',
  },
  portalSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-innkeeper',
    description:
      'A portal session, from POST /manage/v1/session; without HTTPS the cookie is called innkeeper. Changes also require the header X-Innkeeper-Portal: 1 and must come from the portal itself.',
  },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'INNKEEPER_METRICS_TOKEN.' },
};

const DESCRIPTION = `Errors have the same two fields everywhere: \`code\`, for programs, and \`message\`, for people.
Each operation lists its errors, with an example that says what to do. Any request can also return ${ANYWHERE.map(brief).join(', ')}.

If \`Accept\` prefers \`application/problem+json\` to \`application/json\`, errors are problem details (RFC 9457), with \`type\`, \`title\`, \`status\` and \`detail\` in addition.

Every response carries \`X-Request-Id\`, which is also in the service's log.

If a rate limit applies, responses show it: \`RateLimit-Policy: "application";q=600;w=60\` allows a burst of 600 requests, refilled evenly over
60 seconds; \`RateLimit: "application";r=599;t=1\` means that 599 are left and that all are available again in one second. Limits are
"application", "address" and "application-address" (one address at one application).`;

/** The OpenAPI 3.1 document of these routes, made only from their schemas and the table of errors. */
export function describeApi(
  routes: readonly DocumentedRoute[],
  { serverUrl, version }: { serverUrl: string; version: string },
): OpenApiDocument {
  const shapes = new SharedShapes();
  const paths: OpenApiDocument['paths'] = {};
  const schemes = new Set<string>();
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, shapes) };
    for (const name of (route.schema.security ?? []).flatMap((each) => Object.keys(each))) schemes.add(name);
  }
  const tags = new Set(routes.flatMap(({ schema }) => schema.tags ?? []));
  return {
    openapi: '3.1.1',
    info: {
      title: 'Innkeeper',
      version,
      contact: { name: 'Innkeeper', url: 'https://github.com/innkeeper/innkeeper' },
      summary: 'Users, option catalogs and selections as a service',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(TAGS).flatMap(([name, description]) => (tags.has(name) ? [{ name, description }] : [])),
    paths,
    components: {
      securitySchemes: Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => schemes.has(name))),
      schemas: shapes.sorted(),
      responses: shareErrors(Object.values(paths).flatMap((methods) => Object.values(methods))),
      examples: errorExamples(routes),
    },
    'x-stand-ins': EXAMPLE,
  };
}

function describeOperation(route: DocumentedRoute, shapes: SharedShapes): Operation {
  const { schema, method, path } = route;
  const { operationId, summary, description, tags = [], security = [] } = schema;
  if (operationId === undefined) throw new Error(`${method} ${path} has no operationId in its schema.`);
  const parameters = [
    ...describeParameters(route, 'path', schema.params, ({ params }) => params, shapes),
    ...describeParameters(route, 'query', schema.querystring, ({ query }) => query, shapes),
    ...describeParameters(route, 'header', schema.headers, ({ headers }) => headers, shapes),
  ];
  const body = schema.body as Shape | undefined;
  return {
    operationId,
    tags,
    ...(summary !== undefined && { summary }),
    ...(description !== undefined && { description }),
    security,
    ...(schema.access !== undefined && { 'x-access': schema.access }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          [schema.consumes ?? 'application/json']: withExamples(
            shapes.share(body),
            examplesOf(route, ({ body }) => body),
          ),
        },
      },
    }),
    responses: { ...describeSuccesses(route, shapes), ...describeErrors(route) },
  };
}

function describeParameters(
  route: DocumentedRoute,
  place: 'path' | 'query' | 'header',
  shape: unknown,
  valuesOf: (example: OperationExample) => Record<string, unknown> | undefined,
  shapes: SharedShapes,
): Parameter[] {
  const { properties = {}, required = [] } = (shape ?? {}) as Shape;
  return Object.entries(properties).map(([name, { description, ...property }]) => {
    const examples = examplesOf(route, (example) => {
      const value = valuesOf(example)?.[name];
      // A parameter that may be repeated; an example may give a single value.
      return property.type === 'array' && value !== undefined ? [value].flat() : value;
    });
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description !== undefined && { description }),
      schema: shapes.share(property),
      ...(examples && { examples }),
    };
  });
}

function describeSuccesses(route: DocumentedRoute, shapes: SharedShapes): Record<string, ResponseObject> {
  const { schema } = route;
  const successes = Object.entries((schema.response ?? {}) as Record<string, Shape>).filter(([status]) => status < '4');
  return Object.fromEntries(
    successes.map(([status, shape]) => {
      const { responseHeaders, produces = 'application/json' } = schema;
      const headers = responseHeaders && status !== '304' ? describeHeaders(responseHeaders) : undefined;
      const examples = examplesOf(route, (each) => (each.status === Number(status) ? each.answer : undefined));
      // Streams, pages and files beside JSON have another form.
      const isOther = (type: string) => type !== 'application/json' && shape.type !== 'string';
      const response: ResponseObject = {
        description: shape.description ?? statusText(Number(status)) ?? status,
        ...(headers && { headers }),
        ...(shape.type !== 'null' && {
          content: Object.fromEntries(
            [produces]
              .flat()
              .map((type) => [
                type,
                isOther(type) ? { schema: { type: 'string' } } : withExamples(shapes.share(shape), examples),
              ]),
          ),
        }),
      };
      return [status, response];
    }),
  );
}

function brief(name: ErrorName): string {
  const { code, message } = ERRORS[name];
  return `\`${code}\` (${message.replace(/\.$/, '')})`;
}
