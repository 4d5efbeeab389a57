import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { ListPlace, UserFilter } from '../../domain/users/match-users.ts';
import { isStatus } from '../../domain/users/users.ts';
import { MAX_CONDITIONS, readWhere, WhereProblem } from '../../domain/users/where.ts';
import { Type } from '../../schema.ts';
import { USER_STATUSES } from '../../storage/port.ts';
import { isUuid } from '../../uuid.ts';
import type { Query } from '../paging.ts';

/** The filters of every list of users. */
export const FilterQuery = {
  status: Type.Optional(Type.Enum([...USER_STATUSES])),
  where: Type.Optional(
    Type.Array(Type.String(), {
      description:
        '`group.key=value`, `group.key!=value`, `group.key` (has saved) or `!group.key` (has not); all must match. The key may be ' +
        `its UID. For a multiple-choice key, \`=\` means "contains". At most ${MAX_CONDITIONS}.`,
    }),
  ),
  effective: Type.Optional(Type.Boolean({ description: 'include defaults' })),
};

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

/** The page size of the lists of /api/v2/app. */
export const LimitQuery = Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }));

/** `refuse` makes the area's error for a parameter, from its name and what is wrong with it. */
export type Refuse = (field: string, message: string) => Error;

/** The error of /api/v2/app. */
export const refuseParameter: Refuse = (field, message) =>
  new InnkeeperError('usersBadRequest', { message: `${field} ${message}.` });

export function readFilter(query: Query, catalog: CompiledCatalog, refuse: Refuse): UserFilter {
  const status = readOnce(query, 'status', refuse);
  if (status !== undefined && !isStatus(status)) throw refuse('status', 'must be "active" or "suspended"');
  const where = [query.where ?? []].flat();
  if (where.some((text) => text.includes('\u0000') || !text.isWellFormed())) {
    throw refuse('where', 'contains invalid characters');
  }
  try {
    return { catalog, status, conditions: readWhere(where, catalog), effective: readTruth(query, 'effective', refuse) };
  } catch (error) {
    if (error instanceof WhereProblem) throw refuse('where', error.message);
    throw error;
  }
}

export function readOnce(query: Query, name: string, refuse: Refuse): string | undefined {
  const value = query[name];
  if (Array.isArray(value)) throw refuse(name, 'must be given once');
  return value;
}

/** Clamped to the maximum; anything but a whole number from 1 is rejected. */
export function readLimit(query: Query): number {
  const text = readOnce(query, 'limit', refuseParameter);
  if (text === undefined) return DEFAULT_LIMIT;
  if (!/^\d+$/.test(text) || Number(text) === 0) throw refuseParameter('limit', 'must be a whole number, 1 or more');
  return Math.min(Number(text), MAX_LIMIT);
}

export function readTruth(query: Query, name: string, refuse: Refuse): boolean {
  const text = readOnce(query, name, refuse);
  if (text === undefined || text === 'false') return false;
  if (text !== 'true') throw refuse(name, 'must be true or false');
  return true;
}

/** An opaque position for clients to send back. */
export function writePlace({ by, after: { userId, value } }: ListPlace): string {
  return Buffer.from(JSON.stringify(value === undefined ? [by, userId] : [by, userId, value])).toString('base64url');
}

export function readPlace(text: string | undefined, refuse: Refuse): ListPlace | undefined {
  if (text === undefined) return undefined;
  try {
    const [by, userId, value] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[];
    const isValue =
      value === undefined || (typeof value === 'string' && value.isWellFormed() && !value.includes('\u0000'));
    if (typeof by === 'number' && Number.isInteger(by) && typeof userId === 'string' && isUuid(userId) && isValue) {
      return { by, after: { userId, ...(value !== undefined && { value }) } };
    }
  } catch {
    // Reported below.
  }
  throw refuse('after', 'must be `next` of the previous page');
}

/** The link to the next page of the same list. */
export function linkToNext(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const name of LINKED) for (const value of [query[name] ?? []].flat()) parameters.append(name, value);
  return `<${path}?${parameters}>; rel="next"`;
}

const LINKED = [
  ...['search', 'clientUserId', 'status', 'where', 'effective', 'from', 'to', 'sort', 'partial', 'count'],
  ...['after', 'limit'],
];
