import { InnkeeperError } from '../../domain/errors.ts';
import { missingReason } from '../../domain/required.ts';
import type { Service } from '../../domain/service.ts';
import { authorizeApplication } from '../../domain/users/authorize-application.ts';
import { countUsers, matchUsers, pageOfUsers, type UserFilter } from '../../domain/users/match-users.ts';
import { Type } from '../../schema.ts';
import { prefersType } from '../accept.ts';
import { readAuthorization } from '../authorization.ts';
import { CACHED_HEADERS, NotModified } from '../options/schemas.ts';
import type { Query } from '../paging.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { FilterQuery, linkToNext, readFilter, readOnce, readPlace, readTruth, writePlace } from './user-filter.ts';
import { BACK_END_ERRORS, USERS_PATH } from './user-routes.ts';
import { answerUsers, UserAnswer, viewUser } from './user-view.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** Users per chunk of the stream. */
const STREAMED = 1_000;
const NDJSON = 'application/x-ndjson';

const schema = {
  operationId: 'listApplicationUsers',
  summary: 'List and filter users',
  description:
    'For the back end of the application: HTTP Basic with clientId and clientSecret. Send `next` as `after` until it is null. ' +
    `\`Accept: ${NDJSON}\` streams every match, one user per line, and ignores limit, after and count.`,
  tags: ['users'],
  params: Type.Object({ clientId: Type.String() }),
  querystring: Type.Object({
    clientUserId: Type.Optional(Type.String({ description: 'exact match' })),
    ...FilterQuery,
    count: Type.Optional(Type.Boolean({ description: 'adds `total`' })),
    after: Type.Optional(Type.String({ description: '`next` of the previous page' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
  }),
  security: [{ basic: [] }],
  produces: ['application/json', NDJSON],
  response: {
    200: Type.Object(
      {
        items: Type.Array(UserAnswer),
        next: Type.Union([Type.String(), Type.Null()], {
          description: 'send it as `after` for the next page; null: last page',
        }),
        total: Type.Optional(Type.Integer({ description: 'with count=true' })),
      },
      { title: 'ApplicationUsers' },
    ),
    304: NotModified,
  },
  errors: [...BACK_END_ERRORS, 'usersBadRequest'],
  answerHeaders: { ...CACHED_HEADERS, Link: 'the next page, rel="next"' },
} satisfies RouteSchema;

export function listApplicationUsersRoute(app: Routes, service: Service): void {
  app.get(USERS_PATH, { schema }, async (request, reply) => {
    const { clientId = '' } = request.params;
    request.about = { clientId };
    const credentials = readAuthorization(request.headers.authorization);
    const application = await authorizeApplication(service, { clientId, credentials, admission: request.admission });
    const { query } = request;
    const { appId } = application;
    const filter = readFilter(query, await service.catalogs.get(appId), refuse);
    const isNobody = !(await narrow(service, appId, filter, readOnce(query, 'clientUserId', refuse)));
    if (prefersType(request.headers.accept ?? '', NDJSON, 'application/json')) {
      reply.header('cache-control', 'no-store').header('vary', 'Accept');
      return reply.stream(`${NDJSON}; charset=utf-8`, isNobody ? nothing() : stream(service, appId, filter));
    }
    const limit = readLimit(query);
    const place = readPlace(readOnce(query, 'after', refuse), refuse);
    const isCounted = readTruth(query, 'count', refuse);
    if (isNobody) return answerUsers(request, reply, { items: [], next: null, ...(isCounted && { total: 0 }) });
    const { users } = service.storage;
    const page = await pageOfUsers(users, appId, filter, { place, limit });
    const next = page.next && writePlace(page.next);
    if (next !== null)
      reply.header(
        'link',
        linkToNext(`/api/v2/app/${clientId}/users`, { ...query, after: next, limit: String(limit) }),
      );
    const total = isCounted ? { total: await countUsers(users, appId, filter) } : {};
    return answerUsers(request, reply, { items: page.users.map(viewUser), next, ...total });
  });
}

/** Restricts the filter to the user with the given clientUserId; false if there is none. */
async function narrow(
  { storage: { users } }: Service,
  appId: number,
  filter: UserFilter,
  clientUserId: string | undefined,
): Promise<boolean> {
  if (clientUserId === undefined) return true;
  const user = missingReason(clientUserId) ? undefined : await users.findByClientUserId(appId, clientUserId);
  filter.userId = user?.userId;
  return user !== undefined;
}

async function* stream({ storage: { users } }: Service, appId: number, filter: UserFilter): AsyncGenerator<string> {
  for await (const { matched } of matchUsers(users, appId, filter, { place: undefined, atOnce: STREAMED })) {
    if (matched.length > 0) yield matched.map(({ user }) => `${JSON.stringify(viewUser(user))}\n`).join('');
  }
}

async function* nothing(): AsyncGenerator<string> {}

function readLimit(query: Query): number {
  const text = readOnce(query, 'limit', refuse);
  if (text === undefined) return DEFAULT_LIMIT;
  if (!/^\d{1,15}$/.test(text) || Number(text) === 0) throw refuse('limit', 'must be a whole number, 1 or more');
  return Math.min(Number(text), MAX_LIMIT);
}

function refuse(field: string, message: string): InnkeeperError {
  return new InnkeeperError('usersBadRequest', { message: `${field} ${message}.` });
}
