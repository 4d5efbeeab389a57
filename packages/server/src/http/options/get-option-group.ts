import type { FastifyInstance, FastifySchema } from 'fastify';
import type { Group } from '../../domain/catalog/catalog.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { EXAMPLE } from '../examples.ts';
import { answerFromCatalog } from './catalog-answer.ts';
import { viewGroup } from './catalog-views.ts';
import { GROUP_EXAMPLE } from './examples.ts';
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
  examples: {
    allLanguages: {
      summary: 'In all languages',
      params: { option_group_uid: EXAMPLE.groupUid },
      status: 200,
      answer: GROUP_EXAMPLE,
    },
  },
} satisfies FastifySchema;

/** CONTRACT.md section 3 */
export function getOptionGroupRoute(app: FastifyInstance, service: Service): void {
  app.get('/api/option_groups/:option_group_uid', { schema }, (request, reply) =>
    answerFromCatalog(service, request, reply, ({ catalog, params, wording }) => {
      const group = findGroup(catalog, params.option_group_uid, undefined) as Group;
      return viewGroup(catalog, group, catalog.groups.indexOf(group), wording);
    }),
  );
}
