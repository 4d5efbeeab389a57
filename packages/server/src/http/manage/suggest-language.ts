import { suggestLanguage } from '../../domain/catalog/suggest-language.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { refuse } from './input.ts';
import { manageRoute } from './manage-route.ts';

const schema = {
  operationId: 'suggestLanguage',
  summary: 'Suggest the name of a language',
  querystring: Type.Object({ tag: Type.String({ description: 'BCP 47: de, pt-BR, zh-Hant' }) }),
  response: {
    200: Type.Object({
      tag: Type.String({ description: 'canonical form' }),
      name: Type.String({ description: 'in the language itself' }),
      englishName: Type.String(),
    }),
  },
};

export function suggestLanguageRoute(app: Routes, service: Service): void {
  manageRoute(app, service, { method: 'GET', path: '/languages/suggestions', schema }, async ({ readQuery }) => {
    const suggestion = suggestLanguage(readQuery().tag);
    if (!suggestion) throw refuse('tag', 'must be a BCP 47 language tag, for example de or pt-BR');
    return suggestion;
  });
}
