import type { Group } from '../../domain/catalog/catalog.ts';
import { Type } from '../../schema.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { answerFromCatalog, type CatalogSource } from './catalog-answer.ts';
import { viewGroup } from './catalog-views.ts';
import { findGroup } from './find-group.ts';
import {
  AcceptLanguageHeader,
  API_KEY_ERRORS,
  CACHED_HEADERS,
  GroupAnswer,
  LanguageQuery,
  NotModified,
  queryOf,
} from './schemas.ts';

const schema = {
  operationId: 'getOptionGroup',
  summary: 'Get one option group',
  tags: ['options'],
  security: [{ apiKey: [] }],
  params: Type.Object({ option_group_uid: Type.String({ format: 'uuid' }) }),
  querystring: queryOf(LanguageQuery),
  headers: AcceptLanguageHeader,
  response: { 200: GroupAnswer, 304: NotModified },
  answerHeaders: CACHED_HEADERS,
  errors: [...API_KEY_ERRORS, 'languageUnknown', 'badParameter', 'groupNotFound'],
} satisfies RouteSchema;

/** CONTRACT.md section 3 */
export function getOptionGroupRoute(app: Routes, from: CatalogSource): void {
  app.get('/api/option_groups/:option_group_uid', { schema, underLoad: 'served' }, (request, reply) =>
    answerFromCatalog(from, request, reply, ({ catalog, params }) => {
      const group = findGroup(catalog, params.option_group_uid, undefined) as Group;
      return {
        name: group.groupUid,
        make: (wording) => ({
          text: JSON.stringify(viewGroup(catalog, group, catalog.groups.indexOf(group), wording)),
        }),
      };
    }),
  );
}
