import { isUuid, readUuid as readUuidText } from '../../domain/users/user-code.ts';
import { Type } from '../../schema.ts';
import { type Query, readPage, readParameter } from '../paging.ts';
import { refuse } from './input.ts';
import { Nullable, PageQuery } from './schemas.ts';

/** Lists that grow at their beginning are paged by the last one seen: nothing shifts, nothing is counted. */
export const NewestFirstQuery = {
  after: Type.Optional(Type.String({ format: 'uuid', description: '`next` of the previous page' })),
  limit: PageQuery.properties.limit,
};

export const NewestFirstMembers = {
  limit: Type.Integer(),
  next: Nullable(Type.String({ format: 'uuid', description: 'send it as `after` for the next page; null: last page' })),
};

export function readNewestFirst(query: Query): { before: string | null; limit: number } {
  const { limit } = readPage(query);
  if (limit === 0) throw refuse('limit', 'must be at least 1');
  const before = readParameter(query, 'after') ?? null;
  if (before !== null && !isUuid(before)) throw refuse('after', 'must be `next` of the previous page');
  return { before, limit };
}

/** One of a few words, or no word about it. */
export function readChoice<T extends string>(query: Query, name: string, allowed: readonly T[]): T | undefined {
  const text = readParameter(query, name);
  if (text === undefined) return undefined;
  const found = allowed.find((each) => each === text);
  if (found === undefined) throw refuse(name, `must be one of ${allowed.join(', ')}`);
  return found;
}

/** A text that both databases can be asked for. */
export function readText(query: Query, name: string, max = 255): string | undefined {
  const text = readParameter(query, name);
  if (text !== undefined && (text.length > max || text.includes('\u0000') || !text.isWellFormed())) {
    throw refuse(name, `must be at most ${max} characters`);
  }
  return text;
}

export function readUuid(query: Query, name: string): string | undefined {
  const text = readParameter(query, name);
  if (text === undefined) return undefined;
  const uuid = readUuidText(text);
  if (uuid === undefined) throw refuse(name, 'must be a UUID');
  return uuid;
}
