import { ERRORS, type ErrorDefinition, type ErrorName } from '../../domain/errors.ts';
import { oauthErrorOf } from '../errors.ts';
import { isLimited } from '../server/routes.ts';
import type { DocumentedRoute } from './examples.ts';
import {
  describeHeaders,
  type Example,
  examplesOf,
  type Reference,
  type ResponseObject,
  type Shape,
  withExamples,
} from './shared-shapes.ts';

/** Errors that any request can get before it reaches a route: documented once, not under every operation. */
export const ANYWHERE: readonly ErrorName[] = [
  'badRequest',
  'pathUnknown',
  'methodNotAllowed',
  'requestTimeout',
  'expectationFailed',
  'headersTooLarge',
  'overloaded',
];
/** Added to the errors that a route lists. */
const ALWAYS: readonly ErrorName[] = ['internal'];
const WITH_BODY: readonly ErrorName[] = ['bodyTooLarge'];
const LIMITED: readonly ErrorName[] = ['rateLimited'];

function errorsOf({ schema }: DocumentedRoute): ErrorName[] {
  const { errors = [], body } = schema;
  return [...new Set([...errors, ...ALWAYS, ...(body ? WITH_BODY : []), ...(isLimited(schema) ? LIMITED : [])])];
}

/** One response per status, listing all its error codes. The suggested fix is in the example. */
export function describeErrors(route: DocumentedRoute): Record<string, ResponseObject> {
  const { oauthErrors = false } = route;
  const byStatus = Map.groupBy(errorsOf(route), (name) => ERRORS[name].status);
  return Object.fromEntries(
    [...byStatus].map(([status, errors]) => {
      const definitions = errors.map((name): ErrorDefinition => ERRORS[name]);
      const headers = errorHeaders(status);
      const response: ResponseObject = {
        description: definitions.map(({ code, message }) => `- \`${code}\` ${message}`).join('\n'),
        ...(headers && { headers: describeHeaders(headers) }),
        content: {
          'application/json': withExamples(errorShape(route, status, definitions), {
            ...examplesOf(route, (each) => (each.status === status ? each.answer : undefined)),
            ...Object.fromEntries(
              errors.map((name) => [name, { $ref: `#/components/examples/${exampleName(name, oauthErrors)}` }]),
            ),
          }),
        },
      };
      return [status, response];
    }),
  );
}

/** `code` and `message`, plus the fields that the error table or the route adds. */
function errorShape(
  { schema, oauthErrors = false }: DocumentedRoute,
  status: number,
  definitions: ErrorDefinition[],
): Shape {
  const more = (schema.response as Record<string, Shape> | undefined)?.[status]?.properties;
  return {
    type: 'object',
    required: ['code', 'message', ...(oauthErrors ? ['error', 'error_description'] : [])],
    properties: {
      code: { type: 'string', enum: [...new Set(definitions.map(({ code }) => code))].sort() },
      message: { ...TEXT, description: 'for people' },
      ...(definitions.some(({ namesFields }) => namesFields) && { errors: FIELD_ERRORS }),
      ...(oauthErrors && { error: { ...TEXT, description: 'RFC 6749 5.2' }, error_description: TEXT }),
      ...more,
    },
  };
}

const TEXT = { type: 'string' };
const FIELD_ERRORS = {
  type: 'array',
  description: 'each invalid field',
  items: {
    type: 'object',
    required: ['field', 'message'],
    properties: { field: TEXT, message: TEXT, allowed: { description: 'allowed values' } },
  },
};

/** All errors that these routes return, once each. */
export function errorExamples(routes: readonly DocumentedRoute[]): Record<string, Example> {
  const entries = routes.flatMap((route) =>
    errorsOf(route).map((name) => {
      return [exampleName(name, route.oauthErrors ?? false), errorExample(name, route.oauthErrors ?? false)] as const;
    }),
  );
  return Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b)));
}

function exampleName(name: ErrorName, oauthErrors: boolean): string {
  return oauthErrors ? `${name}ForOAuth` : name;
}

function errorExample(name: ErrorName, oauthErrors: boolean): Example {
  const { code, status, message, remedy }: ErrorDefinition = ERRORS[name];
  return {
    summary: `${code}: ${message}`,
    description: remedy,
    value: {
      ...(oauthErrors && { error: oauthErrorOf(status), error_description: message }),
      code,
      message,
    },
  };
}

const LIMIT_HEADERS = {
  'RateLimit-Policy': 'the exceeded limits, if any: requests (q) per period in seconds (w)',
  RateLimit: 'remaining requests (r), and seconds until more are available (t)',
};

function errorHeaders(status: number): Record<string, string> | undefined {
  if (status === 401) return { 'WWW-Authenticate': 'accepted credentials' };
  if (status === 429) return { 'Retry-After': 'seconds to wait', ...LIMIT_HEADERS };
  if (status === 503) return { 'Retry-After': 'seconds to wait' };
  return undefined;
}

/** Moves identical responses of several operations into components and leaves references. */
export function shareErrors(
  operations: readonly { responses: Record<string, ResponseObject | Reference> }[],
): Record<string, ResponseObject> {
  const places = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, response]) =>
      status < '4' || '$ref' in response ? [] : [{ responses, status, response }],
    ),
  );
  const shared: Record<string, ResponseObject> = {};
  for (const alike of Map.groupBy(places, ({ response }) => JSON.stringify(response)).values()) {
    const [{ status, response }] = alike as [(typeof places)[0]];
    const name = [`Error${status}`, ...Object.keys(response.content?.['application/json']?.examples ?? {})].join('_');
    if (alike.length === 1 || Object.hasOwn(shared, name)) continue;
    shared[name] = response;
    for (const place of alike) place.responses[status] = { $ref: `#/components/responses/${name}` };
  }
  return Object.fromEntries(Object.entries(shared).sort(([a], [b]) => a.localeCompare(b)));
}
