import { InnkeeperError } from '../../domain/errors.ts';
import { Type } from '../../schema.ts';
import type { RouteSchema, Routes } from '../server/routes.ts';
import { answerFromCatalog, type CatalogSource } from './catalog-answer.ts';
import { viewKey } from './catalog-views.ts';
import {
  AcceptLanguageHeader,
  API_KEY_ERRORS,
  CACHED_HEADERS,
  KeyAnswer,
  LanguageQuery,
  NotModified,
  queryOf,
} from './schemas.ts';

const schema = {
  operationId: 'getOptionKey',
  summary: 'Get one option key',
  description: 'Also returns archived keys, with `archived: true`.',
  tags: ['options'],
  security: [{ apiKey: [] }],
  params: Type.Object({ option_key_uid: Type.String({ format: 'uuid' }) }),
  querystring: queryOf(LanguageQuery),
  headers: AcceptLanguageHeader,
  response: { 200: KeyAnswer, 304: NotModified },
  answerHeaders: CACHED_HEADERS,
  errors: [...API_KEY_ERRORS, 'languageUnknown', 'badParameter', 'keyNotFound'],
} satisfies RouteSchema;

/** SPEC.md 4.6 */
export function getOptionKeyRoute(app: Routes, from: CatalogSource): void {
  app.get('/api/option_keys/:option_key_uid', { schema, underLoad: 'served' }, (request, reply) =>
    answerFromCatalog(from, request, reply, ({ catalog, params }) => {
      const placed = catalog.keyByUid.get(params.option_key_uid as string);
      if (!placed) throw new InnkeeperError('keyNotFound');
      return {
        name: placed.key.keyUid,
        make: (wording) => ({ text: JSON.stringify(viewKey(catalog, placed, wording)) }),
      };
    }),
  );
}
