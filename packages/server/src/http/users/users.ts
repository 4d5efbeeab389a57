import { InnkeeperError } from '../../domain/errors.ts';
import { missingReason } from '../../domain/required.ts';
import type { Service } from '../../domain/service.ts';
import { emailOf } from '../../domain/users/email.ts';
import { countUsers, matchUsers, pageOfUsers, type UserFilter } from '../../domain/users/match-users.ts';
import { deleteUser, readUserChange, updateUser } from '../../domain/users/users.ts';
import { NotModified, Nullable, readElsewhere, Type } from '../../schema.ts';
import { USER_STATUSES, type UserRecord } from '../../storage/port.ts';
import { formatTime } from '../../time.ts';
import { readJsonObject } from '../bodies.ts';
import { pageOf } from '../manage/input.ts';
import { LimitQuery } from '../manage/schemas.ts';
import { CACHED_HEADERS } from '../options/schemas.ts';
import { etagOf, hasCurrent, prefersType, readAuthorization } from '../request-headers.ts';
import type { HttpReply, HttpRequest } from '../server/request-and-reply.ts';
import { JSON_TYPE } from '../server/request-and-reply.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import {
  FilterQuery,
  linkToNext,
  readFilter,
  readListQuery,
  readPlace,
  refuseParameter,
  writePlace,
} from './user-filter.ts';
import {
  admitBackEnd,
  BACK_END_ERRORS,
  PATH_WITHOUT_CODE,
  PATHS_OF_USER,
  schemaOf,
  USERS_PATH,
  userRoute,
} from './user-routes.ts';

const Time = Type.String({ description: 'UTC, YYYY-MM-DD HH:MM:SS' });

const UserResponse = Type.Object(
  {
    service_user_code: Type.String({ format: 'uuid' }),
    clientUserId: Type.String(),
    clientUserName: Type.String(),
    email: Type.String({ description: 'the clientUserId when it is an e-mail address, otherwise ""' }),
    status: Type.Enum([...USER_STATUSES], { description: 'a suspended user cannot get tokens, save or be read' }),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'ApplicationUser' },
);

function viewUser({ userId, clientUserId, clientUserName, status, createdAt, updatedAt }: UserRecord) {
  return {
    service_user_code: userId,
    clientUserId,
    clientUserName,
    email: emailOf(clientUserId),
    status,
    created_at: formatTime(createdAt),
    updated_at: formatTime(updatedAt),
  };
}

/** One user or a page of them: has an ETag and is not for shared caches. */
function respondWithUsers(request: HttpRequest, reply: HttpReply, content: object): HttpReply {
  const body = JSON.stringify(content);
  const etag = etagOf(body);
  reply.header('etag', etag).header('cache-control', 'private, no-cache').header('vary', 'Authorization, Accept');
  if (hasCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(JSON_TYPE).send(body);
}

/** Users per chunk of the stream. */
const STREAMED = 1_000;
const NDJSON = 'application/x-ndjson';

const listUsersSchema = {
  operationId: 'listApplicationUsers',
  summary: 'List and filter users',
  description:
    'For the back end of the application: HTTP Basic with clientId and clientSecret. Send `next` as `after` until it is null. ' +
    `\`Accept: ${NDJSON}\` streams every match, one user per line, and ignores limit, after and count.`,
  tags: ['users'],
  params: Type.Object({ clientId: Type.String() }),
  querystring: Type.Object({
    clientUserId: Type.Optional(readElsewhere(Type.String({ description: 'exact match' }))),
    ...FilterQuery,
    count: Type.Optional(Type.Boolean({ description: 'adds `total`' })),
    after: Type.Optional(Type.String({ description: '`next` of the previous page' })),
    ...LimitQuery,
  }),
  security: [{ basic: [] }],
  produces: ['application/json', NDJSON],
  response: {
    200: Type.Object(
      {
        items: Type.Array(UserResponse),
        next: Nullable(Type.String({ description: 'send it as `after` for the next page; null: last page' })),
        total: Type.Optional(Type.Integer({ description: 'with count=true' })),
      },
      { title: 'ApplicationUsers' },
    ),
    304: NotModified,
  },
  errors: [...BACK_END_ERRORS, 'usersBadRequest'],
  responseHeaders: { ...CACHED_HEADERS, Link: 'the next page, rel="next"' },
} satisfies RouteSchema;

const getUserSchema = {
  operationId: 'getApplicationUser',
  summary: 'Get one user',
  description: 'For the back end of the application: HTTP Basic with clientId and clientSecret.',
  response: { 200: UserResponse, 304: NotModified },
  responseHeaders: CACHED_HEADERS,
};

const updateUserSchema = {
  operationId: 'updateApplicationUser',
  summary: 'Rename, suspend or resume a user',
  description:
    'Changes the given fields, all or none. A suspended user gets no access token (0002), their access tokens count as ' +
    'revoked, and saving or reading by user_uid returns 1013; `{"status":"active"}` restores all of it.',
  body: Type.Object({
    clientUserName: Type.Optional(Type.String({ description: 'display name' })),
    clientUserId: Type.Optional(Type.String({ description: 'unique per application' })),
    status: Type.Optional(Type.Enum([...USER_STATUSES])),
  }),
  response: { 200: UserResponse },
  errors: [
    'bodyNotJson',
    'clientUserNameMissing',
    'clientUserIdMissing',
    'usersBadRequest',
    'duplicateUser',
    'profileExists',
  ] as const,
};

const deleteUserSchema = {
  operationId: 'deleteUser',
  summary: 'Delete user',
  description:
    "Deletes the user with all of their data. Send HTTP Basic with clientId and clientSecret, or the user's own access token as Bearer.",
  security: [{ basic: [] }, { bearer: [] }],
  response: { 204: Type.Null({ description: 'The user was deleted.' }) },
  errors: ['applicationUnknown', 'credentialsWrong', 'tooManyFailures', 'unavailable', 'tokenServiceDown'],
} satisfies RouteSchema;

/** The users of an application, for its back end. */
export function userRoutes(app: Routes, service: Service): void {
  app.get(USERS_PATH, { schema: listUsersSchema }, async (request, reply) => {
    const { application, isAllowed } = await admitBackEnd(service, request);
    const { appId, clientId } = application;
    const { query } = request;
    const wanted = readListQuery(listUsersSchema.querystring, query);
    const filter = readFilter(wanted, await service.catalogs.get(appId), refuseParameter);
    const isNobody = !(await narrow(service, appId, filter, wanted.clientUserId));
    if (prefersType(request.headers.accept ?? '', NDJSON, 'application/json')) {
      reply.header('cache-control', 'no-store').header('vary', 'Accept');
      const users = stream(service, appId, isNobody ? null : filter, request.signal);
      return reply.stream(`${NDJSON}; charset=utf-8`, whileAllowed(users, isAllowed));
    }
    const { limit } = pageOf(wanted);
    const place = readPlace(wanted.after, refuseParameter);
    const isCounted = wanted.count ?? false;
    if (isNobody) return respondWithUsers(request, reply, { items: [], next: null, ...(isCounted && { total: 0 }) });
    const { users } = service.storage;
    // If few users match, or all are counted, this can take as long as reading every user.
    const { signal } = request;
    const pace = service.searchTime.pace(appId, { signal });
    const page = await pageOfUsers(users, appId, filter, { place, limit, signal, pace });
    const next = page.next && writePlace(page.next);
    if (next !== null)
      reply.header(
        'link',
        linkToNext(`/api/v2/app/${clientId}/users`, { ...query, after: next, limit: String(limit) }),
      );
    const total = isCounted ? { total: await countUsers(users, appId, filter, { signal, pace }) } : {};
    return respondWithUsers(request, reply, { items: page.users.map(viewUser), next, ...total });
  });

  userRoute(app, service, { method: 'GET', schema: getUserSchema }, async ({ request, reply, user }) =>
    respondWithUsers(request, reply, viewUser(user)),
  );

  userRoute(app, service, { method: 'PATCH', schema: updateUserSchema }, async ({ request, application, user }) => {
    const updated = await updateUser(service, application, user.userId, readUserChange(readJsonObject(request)));
    if (!updated) throw new InnkeeperError('userUnknown');
    return viewUser(updated);
  });

  for (const userPath of [...PATHS_OF_USER, PATH_WITHOUT_CODE]) {
    app.delete(userPath.path, { schema: schemaOf(deleteUserSchema, userPath) }, async (request, reply) => {
      const { clientId = '' } = request.params;
      request.about = { clientId };
      const credentials = readAuthorization(request.headers.authorization);
      const path = userPath.read(request.params);
      await deleteUser(service, { clientId, path, credentials, admission: request.admission });
      return reply.code(204).send();
    });
  }
}

/** Restricts the filter to the user with the given clientUserId; false if there is none. */
async function narrow(
  { storage: { users } }: Service,
  appId: number,
  filter: UserFilter,
  clientUserId: unknown,
): Promise<boolean> {
  if (typeof clientUserId !== 'string') return true;
  const user = missingReason(clientUserId) ? undefined : await users.findByClientUserId(appId, clientUserId);
  filter.userId = user?.userId;
  return user !== undefined;
}

/** Stops when the caller loses access: a slow client could otherwise keep reading for days. */
async function* whileAllowed(texts: AsyncIterable<string>, isAllowed: () => Promise<boolean>): AsyncGenerator<string> {
  for await (const text of texts) {
    if (!(await isAllowed())) throw new InnkeeperError('backEndCredentialsWrong');
    yield text;
  }
}

/** Matching users as NDJSON; none if the filter is null. */
async function* stream(
  { storage: { users }, searchTime }: Service,
  appId: number,
  filter: UserFilter | null,
  signal: AbortSignal,
): AsyncGenerator<string> {
  if (!filter) return;
  const pace = searchTime.pace(appId, { signal, endless: true });
  const walked = { place: undefined, atOnce: STREAMED, pace, isSent: true };
  for await (const { matched } of matchUsers(users, appId, filter, walked)) {
    // A client that has left is noticed when something is written to it; without a match, only by the signal.
    if (matched.length === 0) signal.throwIfAborted();
    yield matched.map(({ user }) => `${JSON.stringify(viewUser(user))}\n`).join('');
  }
}
