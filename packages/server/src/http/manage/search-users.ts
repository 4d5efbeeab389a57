import type { Service } from '../../domain/service.ts';
import { countUsers, pageOfUsers } from '../../domain/users/match-users.ts';
import { createSearchTest, type SearchPlace, searchUsers } from '../../domain/users/search-users.ts';
import { Type } from '../../schema.ts';
import type { UserRecord } from '../../storage/port.ts';
import type { Routes } from '../server/routes.ts';
import {
  FilterQuery,
  linkToNext,
  readFilter,
  readPlace as readListPlace,
  writePlace as writeListPlace,
} from '../users/user-filter.ts';

import { pageOf, refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { LimitQuery, Nullable, UserShape } from './schemas.ts';
import { viewUser } from './views.ts';

const schema = {
  operationId: 'searchUsers',
  summary: 'List or search the users of an application',
  description:
    '`search` matches an exact userUid, the start of a clientUserId, or any part of a name in upper or lower case. ' +
    'Send `next` as `after` until it is null; every page but the last is full. ' +
    '`count=true` adds the total, which takes a while among millions.',
  querystring: Type.Object({
    search: Type.Optional(Type.String({ maxLength: 255 })),
    ...FilterQuery,
    count: Type.Optional(Type.Boolean({ description: 'adds `total`; not with `search` alone' })),
    after: Type.Optional(Type.String({ description: '`next` of the previous page' })),
    ...LimitQuery,
  }),
  response: {
    200: Type.Object({
      items: Type.Array(Type.Object(UserShape, { title: 'ManagedUser' })),
      limit: Type.Integer(),
      next: Nullable(Type.String({ description: 'send it as `after` for the next page; null: last page' })),
      total: Type.Optional(Type.Integer({ description: 'with count=true' })),
    }),
  },
};

/** In the order of clientUserId. */
export function searchUsersRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/users', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, manager, query, readQuery, reply }) => {
    const { search = '', after, count: isCounted = false, limit: wanted } = readQuery();
    const { limit } = pageOf({ limit: wanted });
    const { appId } = application;
    const { users } = service.storage;
    const filter = readFilter(query, await service.catalogs.get(appId), refuse);
    const isFiltered = filter.conditions.length > 0 || filter.status !== undefined;
    if (isFiltered && search !== '') filter.test = createSearchTest(search);
    const found = isFiltered
      ? placed(await pageOfUsers(users, appId, filter, { place: readListPlace(after, refuse), limit }), writeListPlace)
      : placed(await searchUsers(users, appId, search, { place: readPlace(after), limit }), writePlace);
    if (isCounted && !isFiltered && search !== '') throw refuse('count', 'is not supported with `search` alone');
    const total = isCounted ? { total: await countUsers(users, appId, filter) } : {};
    // The portal waits for a first user here: an empty page shows nobody's data.
    if (found.users.length > 0) {
      await service.userReads.record({ actor: manager.author, appId });
    }
    const { next } = found;
    if (next !== null) {
      const path = `/manage/v1/applications/${application.clientId}/users`;
      reply.header('link', linkToNext(path, { ...query, after: next, limit: String(limit) }));
    }
    return { items: found.users.map(viewUser), limit, next, ...total };
  });
}

function placed<Place>(
  { users, next }: { users: UserRecord[]; next: Place | null },
  write: (place: Place) => string,
): { users: UserRecord[]; next: string | null } {
  return { users, next: next && write(next) };
}

/** A place is nobody's business but ours. */
function writePlace({ by, after }: SearchPlace): string {
  return Buffer.from(JSON.stringify([by, after])).toString('base64url');
}

function readPlace(text: string | undefined): SearchPlace | undefined {
  if (text === undefined) return undefined;
  try {
    const [by, after] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[];
    const isAfter = after === null || (typeof after === 'string' && !after.includes('\u0000') && after.isWellFormed());
    if ((by === 'id' || by === 'name') && isAfter) return { by, after };
  } catch {
    // Told below.
  }
  throw refuse('after', 'must be `next` of the previous page');
}
