import type { Service } from '../../domain/service.ts';
import { type SearchPlace, searchUsers } from '../../domain/users/search-users.ts';
import { Type } from '../../schema.ts';
import { type Query, readPage, readParameter } from '../paging.ts';
import type { Routes } from '../server/routes.ts';
import { ADA, APPLICATION } from './examples.ts';
import { refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { Nullable, PageQuery, UserShape } from './schemas.ts';
import { viewUser } from './views.ts';

const schema = {
  operationId: 'searchUsers',
  summary: 'List or search the users of an application',
  description:
    'By exact userUid, by how clientUserId begins, or by what the name holds in any case; without `search`, all of them. ' +
    'There is no total, as counting millions would take longer than the page: go on with `next` until it is null. ' +
    'A search among very many users may answer a page with fewer than `limit`, even none, that is not the last.',
  querystring: Type.Object({
    search: Type.Optional(Type.String()),
    after: Type.Optional(Type.String({ description: '`next` of the page before' })),
    limit: PageQuery.properties.limit,
  }),
  response: {
    200: Type.Object({
      items: Type.Array(Type.Object(UserShape, { title: 'ManagedUser' })),
      limit: Type.Integer(),
      next: Nullable(Type.String({ description: '`after` of the next page; null: this is the last' })),
    }),
  },
  examples: {
    byName: {
      summary: 'By a part of the name',
      params: APPLICATION,
      query: { search: 'lovelace' },
      status: 200,
      answer: { items: [ADA], limit: 50, next: null },
    },
  },
};

/** In the order of clientUserId. */
export function searchUsersRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/users', access: 'users', schema } as const;
  applicationRoute(app, service, operation, async ({ application, manager, query, reply }) => {
    const { limit } = readPage(query);
    if (limit === 0) throw refuse('limit', 'must be at least 1');
    const search = readSearch(query);
    const place = readPlace(readParameter(query, 'after'));
    const found = await searchUsers(service.storage.users, application.appId, search, { place, limit });
    // The portal waits for a first user here: an empty page shows nobody's data.
    if (found.users.length > 0) {
      await service.userReads.record({ actor: manager.author, appId: application.appId });
    }
    const next = found.next && writePlace(found.next);
    if (next !== null) {
      const parameters = new URLSearchParams({ ...(search !== '' && { search }), after: next, limit: String(limit) });
      reply.header('link', `</manage/v1/applications/${application.clientId}/users?${parameters}>; rel="next"`);
    }
    return { items: found.users.map(viewUser), limit, next };
  });
}

function readSearch(query: Query): string {
  const search = readParameter(query, 'search') ?? '';
  if (search.length > 255 || search.includes('\u0000') || !search.isWellFormed()) {
    throw refuse('search', 'must be at most 255 characters');
  }
  return search;
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
  throw refuse('after', 'must be `next` of the page before');
}
