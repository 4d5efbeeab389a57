import { readPage, writeListing } from '../paging.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { answerFromCatalog, type CatalogSource } from './catalog-answer.ts';
import { viewGroup } from './catalog-views.ts';
import {
  AcceptLanguageHeader,
  API_KEY_ERRORS,
  GroupAnswer,
  LanguageQuery,
  LIST_HEADERS,
  ListAnswer,
  NotModified,
  PagingQuery,
  queryOf,
} from './schemas.ts';

const schema = {
  operationId: 'listOptionGroups',
  summary: 'List option groups',
  tags: ['options'],
  security: [{ apiKey: [] }],
  querystring: queryOf(PagingQuery, LanguageQuery),
  headers: AcceptLanguageHeader,
  response: { 200: ListAnswer(GroupAnswer), 304: NotModified },
  answerHeaders: LIST_HEADERS,
  errors: [...API_KEY_ERRORS, 'languageUnknown', 'badParameter'],
} satisfies RouteSchema;

/** SPEC.md 4.4 */
export function listOptionGroupsRoute(app: Routes, from: CatalogSource): void {
  app.get('/api/option_groups', { schema, underLoad: 'served' }, (request, reply) =>
    answerFromCatalog(from, request, reply, ({ catalog, query }) => {
      const page = readPage(query);
      return {
        name: `${page.offset} ${page.limit}`,
        make: (wording) =>
          writeListing(catalog.groups, page, (group, index) => viewGroup(catalog, group, page.offset + index, wording)),
      };
    }),
  );
}
