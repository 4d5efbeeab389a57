import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Service } from '../../domain/service.ts';
import { answerFromCatalog } from './catalog-answer.ts';
import { viewKey } from './catalog-views.ts';
import { KeyAnswer, LanguageQuery, optionErrors, queryOf } from './schemas.ts';

const schema = {
  summary: 'Get one option key',
  description: 'An archived key is shown too, and says so.',
  tags: ['options'],
  security: [{ apiKey: [] }],
  params: Type.Object({ option_key_uid: Type.String({ format: 'uuid' }) }),
  querystring: queryOf(LanguageQuery),
  response: { 200: KeyAnswer, ...optionErrors(400, 401, 404) },
};

/** SPEC.md 4.6 */
export function getOptionKeyRoute(app: FastifyInstance, service: Service): void {
  app.get('/api/option_keys/:option_key_uid', { schema }, (request, reply) =>
    answerFromCatalog(service, request, reply, ({ catalog, params, wording }) => {
      const placed = catalog.keyByUid.get(params.option_key_uid as string);
      if (!placed) throw new InnkeeperError('keyNotFound');
      return viewKey(catalog, placed, wording);
    }),
  );
}
