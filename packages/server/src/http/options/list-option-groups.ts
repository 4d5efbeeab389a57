import type { FastifyInstance } from 'fastify';
import type { Service } from '../../domain/service.ts';
import { readPage, toListing } from '../paging.ts';
import { answerFromCatalog } from './catalog-answer.ts';
import { viewGroup } from './catalog-views.ts';
import { GroupAnswer, LanguageQuery, ListAnswer, optionErrors, PagingQuery, queryOf } from './schemas.ts';

const schema = {
  summary: 'List option groups',
  tags: ['options'],
  security: [{ apiKey: [] }],
  querystring: queryOf(PagingQuery, LanguageQuery),
  response: { 200: ListAnswer(GroupAnswer), ...optionErrors(400, 401) },
};

/** SPEC.md 4.4 */
export function listOptionGroupsRoute(app: FastifyInstance, service: Service): void {
  app.get('/api/option_groups', { schema }, (request, reply) =>
    answerFromCatalog(service, request, reply, ({ catalog, query, wording }) => {
      const { items, ...page } = toListing(catalog.groups, readPage(query));
      return { items: items.map((group, index) => viewGroup(catalog, group, page.offset + index, wording)), ...page };
    }),
  );
}
