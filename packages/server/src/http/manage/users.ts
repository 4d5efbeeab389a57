import { InnkeeperError } from '../../domain/errors.ts';
import { missingReason } from '../../domain/required.ts';
import type { Service } from '../../domain/service.ts';
import { findUser } from '../../domain/users/identify-user.ts';
import { countUsers, pageOfUsers, USER_SORTS } from '../../domain/users/match-users.ts';
import { createSearchTest, type SearchPlace, searchUsers } from '../../domain/users/search-users.ts';
import { addUser, updateUser } from '../../domain/users/users.ts';
import { Nullable, Type } from '../../schema.ts';
import { USER_STATUSES, type UserChange, type UserRecord } from '../../storage/port.ts';
import {
  FilterQuery,
  linkToNext,
  readFilter,
  readPlace as readListPlace,
  writePlace as writeListPlace,
} from '../users/user-filter.ts';
import { CreatedQuery, pageOf, readSpan, refuse } from './input.ts';
import type { ManageRoutes } from './manage-route.ts';
import { AccessTokenShape, LimitQuery, OF_USER, UserShape } from './schemas.ts';
import { viewAccessToken, viewUser } from './views.ts';

/**
 * How many entries to scan for a page with `partial=true`, which takes well under a second: ids and names, or users
 * with their selections.
 */
const MAX_NAMES = 200_000;
const MAX_USERS = 20_000;

/** Users of an application. */
export function userRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  /** In the order of clientUserId. */
  applicationRoute('GET', '/users', {
    operationId: 'searchUsers',
    access: 'users',
    summary: 'List or search the users of an application',
    description:
      '`search` matches an exact userUid, or any part of a clientUserId or name in upper or lower case; clientUserIds that ' +
      'begin with it come first. Send `next` as `after` until it is null; every page but the last is full, unless `partial=true`. ' +
      '`count=true` adds the total; with a search or filter it takes a while among millions, without one it may be up to 5 minutes old then.',
    querystring: Type.Object({
      search: Type.Optional(Type.String({ maxLength: 255 })),
      ...FilterQuery,
      ...CreatedQuery,
      sort: Type.Optional(
        Type.Enum([...USER_SORTS], {
          description: 'by creation; not with `where`. Without it, by clientUserId, or with filters in no fixed order.',
        }),
      ),
      partial: Type.Optional(
        Type.Boolean({
          description:
            'ends a page after a limited amount of work: it may be short or empty although `next` is not null',
        }),
      ),
      count: Type.Optional(Type.Boolean({ description: 'adds `total`' })),
      after: Type.Optional(Type.String({ description: '`next` of the previous page' })),
      ...LimitQuery,
    }),
    response: {
      200: Type.Object({
        items: Type.Array(Type.Object(UserShape, { title: 'ManagedUser' })),
        limit: Type.Integer(),
        next: Nullable(Type.String({ description: 'send it as `after` for the next page; null: last page' })),
        total: Type.Optional(Type.Integer({ description: 'with count=true' })),
        searched: Type.Optional(Type.Integer({ description: 'with partial=true: users looked at for this page' })),
      }),
    },
    async handle({ request, application, manager, query, readQuery, reply }) {
      const {
        search = '',
        after,
        count: isCounted = false,
        limit: wanted,
        partial: isPartial = false,
        sort,
        ...shared
      } = readQuery();
      const { limit } = pageOf({ limit: wanted });
      const { appId } = application;
      // Few match, or all are counted: that may take as long as reading every user.
      const { signal } = request;
      const pace = service.searchTime.pace(appId, { signal });
      const { users } = service.storage;
      const filter = readFilter(shared, await service.catalogs.get(appId), refuse);
      if (sort !== undefined && filter.conditions.length > 0) throw refuse('sort', 'is not supported with `where`');
      filter.sort = sort;
      filter.created = readSpan(shared);
      const isFiltered =
        filter.conditions.length > 0 || [filter.status, filter.created, sort].some((each) => each !== undefined);
      if (search !== '') filter.test = createSearchTest(search);
      const found = isFiltered
        ? placed(
            await pageOfUsers(users, appId, filter, {
              place: readListPlace(after, refuse),
              limit,
              signal,
              pace,
              ...(isPartial && { atMost: MAX_USERS }),
            }),
            writeListPlace,
          )
        : placed(
            await searchUsers(users, appId, search, {
              place: readPlace(after),
              limit,
              signal,
              pace,
              ...(isPartial && { atMost: MAX_NAMES }),
            }),
            writePlace,
          );
      const count = () =>
        isFiltered || search !== ''
          ? countUsers(users, appId, filter, { signal, pace })
          : service.userCounts.exact(appId);
      const total = isCounted ? { total: await count() } : {};
      // The portal polls this for a first user: an empty page contains no personal data.
      if (found.users.length > 0) {
        await service.userReads.record({ actor: manager.author, appId });
      }
      const { next, looked } = found;
      if (next !== null) {
        const path = `/manage/v1/applications/${application.clientId}/users`;
        reply.header('link', linkToNext(path, { ...query, after: next, limit: String(limit) }));
      }
      return { items: found.users.map(viewUser), limit, next, ...total, ...(isPartial && { searched: looked }) };
    },
  });

  applicationRoute('GET', '/users/:userUid', {
    operationId: 'getUser',
    ...OF_USER,
    summary: 'Get one user with their valid access tokens',
    response: { 200: Type.Object({ ...UserShape, accessTokens: Type.Array(AccessTokenShape) }) },
    async handle({ application, manager, params }) {
      const user = await findUser(service, application, params.userUid);
      await service.userReads.record({ actor: manager.author, appId: application.appId, userId: user.userId });
      const tokens = await service.storage.tokens.list(user.userId, service.now());
      return { ...viewUser(user), accessTokens: tokens.map(viewAccessToken) };
    },
  });

  applicationRoute('POST', '/users', {
    operationId: 'addUser',
    access: 'users',
    summary: 'Create a user',
    description:
      'As an application does with create-user, without a token: issue one with `POST …/users/{userUid}/special-token`.',
    body: Type.Object({
      clientUserId: Type.String({ description: 'unique in the application; may be an e-mail address' }),
      clientUserName: Type.String({ description: 'display name' }),
    }),
    response: { 201: Type.Object(UserShape) },
    errors: ['clientUserIdTaken'],
    async handle({ application, readBody }) {
      const wanted = readBody();
      refuseUnusable(wanted);
      const { userId } = await addUser(service, application, wanted);
      return viewUser(await findUser(service, application, userId));
    },
  });

  applicationRoute('PATCH', '/users/:userUid', {
    operationId: 'changeUser',
    ...OF_USER,
    summary: 'Rename, suspend or resume a user',
    description:
      'Changes all given fields or none. A suspended user gets no access token, and existing ones count as revoked.',
    body: Type.Object({
      clientUserName: Type.Optional(Type.String()),
      clientUserId: Type.Optional(Type.String({ description: 'unique in the application' })),
      status: Type.Optional(Type.Enum([...USER_STATUSES])),
    }),
    response: { 200: Type.Object(UserShape) },
    errors: [...OF_USER.errors, 'clientUserIdTaken'],
    async handle({ application, params, readBody }) {
      const change: UserChange = readBody();
      const { status: _, ...names } = change;
      refuseUnusable(names);
      const { userId } = await findUser(service, application, params.userUid);
      const user = await updateUser(service, application, userId, change);
      if (!user) throw new InnkeeperError('userNotFound');
      return viewUser(user);
    },
  });

  applicationRoute('DELETE', '/users/:userUid', {
    operationId: 'eraseUser',
    ...OF_USER,
    summary: 'Delete a user with all of their data',
    description: 'This cannot be undone. Their tokens stop working immediately, in every replica.',
    response: { 204: Type.Null({ description: 'The user was deleted.' }) },
    async handle({ application, params }) {
      const { userId } = await findUser(service, application, params.userUid);
      if ((await service.storage.users.delete(application.appId, userId)) === 'unknown') {
        throw new InnkeeperError('userNotFound');
      }
      service.activity.count(application.appId, 'usersErased');
    },
  });
}

function placed<Place>(
  { users, next, looked }: { users: UserRecord[]; next: Place | null; looked: number },
  write: (place: Place) => string,
): { users: UserRecord[]; next: string | null; looked: number } {
  return { users, next: next && write(next), looked };
}

/** An opaque position for clients to send back. */
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
    // Reported below.
  }
  throw refuse('after', 'must be `next` of the previous page');
}

function refuseUnusable(names: Pick<UserChange, 'clientUserName' | 'clientUserId'>): void {
  for (const [field, value] of Object.entries(names)) {
    const problem = missingReason(value);
    if (problem !== undefined) throw refuse(field, problem);
  }
}
