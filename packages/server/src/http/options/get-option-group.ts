import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Group } from '../../domain/catalog/catalog.ts';
import type { Service } from '../../domain/service.ts';
import { answerFromCatalog } from './catalog-answer.ts';
import { viewGroup } from './catalog-views.ts';
import { findGroup } from './find-group.ts';
import { GroupAnswer, LanguageQuery, optionErrors, queryOf } from './schemas.ts';

const schema = {
  summary: 'Get one option group',
  tags: ['options'],
  security: [{ apiKey: [] }],
  params: Type.Object({ option_group_uid: Type.String({ format: 'uuid' }) }),
  querystring: queryOf(LanguageQuery),
  response: { 200: GroupAnswer, ...optionErrors(400, 401, 404) },
};

/** CONTRACT.md section 3 */
export function getOptionGroupRoute(app: FastifyInstance, service: Service): void {
  app.get('/api/option_groups/:option_group_uid', { schema }, (request, reply) =>
    answerFromCatalog(service, request, reply, ({ catalog, params, wording }) => {
      const group = findGroup(catalog, params.option_group_uid, undefined) as Group;
      return viewGroup(catalog, group, catalog.groups.indexOf(group), wording);
    }),
  );
}
