import { Type } from '../../schema.ts';
import { readPage, readParameter, readUidParameter, writeListing } from '../paging.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { answerFromCatalog, type CatalogSource } from './catalog-answer.ts';
import { viewKey } from './catalog-views.ts';
import { findGroup } from './find-group.ts';
import {
  AcceptLanguageHeader,
  API_KEY_ERRORS,
  KeyAnswer,
  LanguageQuery,
  LIST_HEADERS,
  ListAnswer,
  NotModified,
  PagingQuery,
  queryOf,
} from './schemas.ts';

const schema = {
  operationId: 'listOptionKeys',
  summary: 'List option keys',
  description: 'With allowed values and value types. For one group, by name or UID, or for all.',
  tags: ['options'],
  security: [{ apiKey: [] }],
  querystring: queryOf(PagingQuery, LanguageQuery, {
    option_group_name: Type.Optional(Type.String()),
    option_group_uid: Type.Optional(Type.String({ format: 'uuid' })),
  }),
  headers: AcceptLanguageHeader,
  response: { 200: ListAnswer(KeyAnswer), 304: NotModified },
  answerHeaders: LIST_HEADERS,
  errors: [...API_KEY_ERRORS, 'languageUnknown', 'badParameter', 'groupNotFound', 'groupsDisagree'],
} satisfies RouteSchema;

/** SPEC.md 4.5 */
export function listOptionKeysRoute(app: Routes, from: CatalogSource): void {
  app.get('/api/option_keys', { schema, underLoad: 'served' }, (request, reply) =>
    answerFromCatalog(from, request, reply, ({ catalog, query }) => {
      const page = readPage(query);
      const uid = readUidParameter(query, 'option_group_uid');
      const group = findGroup(catalog, uid, readParameter(query, 'option_group_name'));
      return {
        name: `${group?.groupUid ?? ''} ${page.offset} ${page.limit}`,
        make(wording) {
          const keys = group ? catalog.keys.filter((placed) => placed.group === group) : catalog.keys;
          return writeListing(keys, page, (placed) => viewKey(catalog, placed, wording));
        },
      };
    }),
  );
}
