import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Service } from '../../domain/service.ts';
import { readPage, readParameter, toListing } from '../paging.ts';
import { answerFromCatalog } from './catalog-answer.ts';
import { viewKey } from './catalog-views.ts';
import { findGroup } from './find-group.ts';
import { KeyAnswer, LanguageQuery, ListAnswer, optionErrors, PagingQuery, queryOf } from './schemas.ts';

const schema = {
  summary: 'List option keys',
  tags: ['options'],
  security: [{ apiKey: [] }],
  querystring: queryOf(PagingQuery, LanguageQuery, {
    option_group_name: Type.Optional(Type.String()),
    option_group_uid: Type.Optional(Type.String({ format: 'uuid' })),
  }),
  response: { 200: ListAnswer(KeyAnswer), ...optionErrors(400, 401, 404) },
};

/** SPEC.md 4.5 */
export function listOptionKeysRoute(app: FastifyInstance, service: Service): void {
  app.get('/api/option_keys', { schema }, (request, reply) =>
    answerFromCatalog(service, request, reply, ({ catalog, query, wording }) => {
      const page = readPage(query);
      const uid = readParameter(query, 'option_group_uid');
      const group = findGroup(catalog, uid, readParameter(query, 'option_group_name'));
      const keys = group ? catalog.keys.filter((placed) => placed.group === group) : catalog.keys;
      const { items, ...shown } = toListing(keys, page);
      return { items: items.map((placed) => viewKey(catalog, placed, wording)), ...shown };
    }),
  );
}
