import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import { InnkeeperError } from '../../domain/errors.ts';
import type { ListPlace, UserFilter } from '../../domain/users/match-users.ts';
import { MAX_CONDITIONS, readWhere, WhereProblem } from '../../domain/users/where.ts';
import { type Static, type TSchema, Type } from '../../schema.ts';
import { USER_STATUSES, type UserStatus } from '../../storage/port.ts';
import { isUuid } from '../../uuid.ts';
import { readParameters } from '../manage/input.ts';
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

/** Creates the area's error for an invalid parameter: its name, and a message worded to follow the name. */
export type Refuse = (field: string, message: string) => Error;

/** The parameters of a list under /api/v2/app; invalid ones get 9400. */
export function readListQuery<T extends TSchema>(schema: T, query: Query): Static<T> {
  try {
    return readParameters(schema, query);
  } catch (error) {
    if (!(error instanceof InnkeeperError)) throw error;
    throw new InnkeeperError('usersBadRequest', { message: error.message });
  }
}

export const refuseParameter: Refuse = (field, message) =>
  new InnkeeperError('usersBadRequest', { message: `${field} ${message}.` });

type Wanted = { status?: UserStatus; where?: readonly string[]; effective?: boolean };

export function readFilter(
  { status, where = [], effective = false }: Wanted,
  catalog: CompiledCatalog,
  refuse: Refuse,
): UserFilter {
  try {
    return { catalog, status, conditions: readWhere(where, catalog), effective };
  } catch (error) {
    if (error instanceof WhereProblem) throw refuse('where', error.message);
    throw error;
  }
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
