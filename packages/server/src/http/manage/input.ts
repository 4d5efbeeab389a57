import { showPath } from '../../domain/catalog/source.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import { checkShape, Nullable, type Static, type TSchema, Type } from '../../schema.ts';
import { badParameter, type Page, type Query } from '../paging.ts';
import { LimitQuery } from './schemas.ts';

/** Enough for one response: the next try reports the rest. */
const MAX_PROBLEMS = 200;

export function refuse(field: string, message: string): Error {
  return badParameter([{ field, message }]);
}

export function forbidden(message: string): Error {
  return new InnkeeperError('manageForbidden', { message });
}

/** Checks a request part against the schema of its route. Throws with all problems. */
export function requireShape<T extends TSchema>(schema: T, value: unknown): Static<T> {
  const { problems } = checkShape(schema, value, { max: MAX_PROBLEMS, isPlain: true });
  if (problems.length === 0) return value as Static<T>;
  throw badParameter(
    problems.map(({ path, message, allowed }) => ({
      field: showPath(path),
      message,
      ...(allowed && { allowed }),
    })),
  );
}

type Parameter = { type?: string; default?: unknown };

/** Reads the parameters that the schema names, each by its type; others are ignored, as everywhere. */
export function readParameters<T extends TSchema>(schema: T, query: Query): Static<T> {
  const { properties = {} } = schema as { properties?: Record<string, Parameter> };
  const read = Object.entries(properties).flatMap(([name, parameter]) => {
    const given = query[name];
    if (given === undefined) return parameter.default === undefined ? [] : [[name, parameter.default]];
    if (parameter.type === 'array') return [[name, [given].flat()]];
    if (Array.isArray(given)) throw refuse(name, 'must be given once');
    return [[name, readWord(parameter, given)]];
  });
  return requireShape(schema, Object.fromEntries(read));
}

/** A value of the wrong type stays a string, which the schema rejects. */
function readWord({ type }: Parameter, text: string): unknown {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (type === 'integer' && /^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  return text;
}

type PageQuery = { offset?: number | undefined; limit?: number | undefined };

/** A limit above the maximum is clamped. */
export function pageOf({ offset = 0, limit = 50 }: PageQuery, maxLimit = 200): Page {
  return { offset, limit: Math.min(limit, maxLimit) };
}

/** Lists that grow at the start are paged by the last item seen: nothing shifts, and nothing has to be counted. */
export const NewestFirstQuery = {
  after: Type.Optional(Type.String({ format: 'uuid', description: '`next` of the previous page' })),
  ...LimitQuery,
};

export const NewestFirstMembers = {
  limit: Type.Integer(),
  next: Nullable(Type.String({ format: 'uuid', description: 'send it as `after` for the next page; null: last page' })),
};

export function newestFirst({ after = null, limit }: { after?: string | null; limit?: number }) {
  return { before: after, limit: pageOf({ limit }).limit };
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?Z?)?$/;

export const SpanQuery = {
  from: Type.Optional(Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS, or the day alone' })),
  to: Type.Optional(Type.String({ description: 'UTC, not included' })),
};

/** In UTC; a date without a time is the start of that day. */
export function readTime(text: string, name: string): number {
  const [, day, time = '00:00'] = TIME.exec(text) ?? [];
  const at = Date.parse(`${day}T${time}Z`);
  // Date turns February 31 into another day.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day) {
    throw refuse(name, 'must be a time, YYYY-MM-DD HH:MM:SS in UTC');
  }
  return at;
}

/** Checks that `from` is before `to` if both are given; undefined if neither is. */
export function readSpan(query: { from?: string; to?: string }): { from?: number; to?: number } | undefined {
  const from = query.from === undefined ? undefined : readTime(query.from, 'from');
  const to = query.to === undefined ? undefined : readTime(query.to, 'to');
  if (from !== undefined && to !== undefined && from >= to) throw refuse('to', 'must be later than from');
  if (from === undefined && to === undefined) return undefined;
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** For lists of users. */
export const CreatedQuery = {
  from: Type.Optional(
    Type.String({ description: 'created then or later; UTC, YYYY-MM-DD HH:MM:SS, or the day alone' }),
  ),
  to: Type.Optional(Type.String({ description: 'created before; UTC' })),
};
