import type { FastifyInstance } from 'fastify';
import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { changeTexts, type WantedText } from '../../domain/catalog/edits/translations.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import { AllowBreakingQuery, answerEdited, EDIT_ERRORS, IfMatchHeader, readEditOptions } from './edit-options.ts';
import { APPLICATION, change, IF_MATCH, published } from './examples.ts';
import { readMembers, readObjects } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { CATALOG_LIMIT } from './put-catalog.ts';
import { EDITED_HEADERS, EditedAnswer, Nullable } from './schemas.ts';

const MAX_TEXTS = 100_000;

const schema = {
  operationId: 'changeTranslations',
  summary: 'Change many texts at once, all or none',
  headers: IfMatchHeader,
  querystring: AllowBreakingQuery,
  body: Type.Object({
    texts: Type.Array(
      Type.Object({
        path: Type.String({ description: 'as the list of translations has it' }),
        language: Type.String({ description: 'name or tag' }),
        text: Nullable(Type.String({ description: 'null takes it away' })),
      }),
      { maxItems: MAX_TEXTS },
    ),
  }),
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: EDIT_ERRORS,
  examples: {
    two: {
      summary: 'A text in another word, and one taken away',
      params: APPLICATION,
      headers: IF_MATCH,
      body: {
        texts: [
          { path: 'appearance/theme', language: 'Deutsch', text: 'Farben' },
          { path: 'appearance/theme=system', language: 'es', text: null },
        ],
      },
      status: 200,
      answer: published({
        changes: [
          change(
            'changed',
            'key',
            'appearance/theme',
            ['"system" in Español: "Como el dispositivo" → none', 'Deutsch: "Farbschema" → "Farben"'],
            1,
          ),
        ],
        missing: ['appearance/theme=system'],
      }),
    },
  },
};

export function changeTranslationsRoute(app: FastifyInstance, service: Service): void {
  const operation = {
    method: 'PATCH',
    path: '/catalog/translations',
    schema,
    access: 'texts',
    bodyLimit: CATALOG_LIMIT,
  } as const;
  applicationRoute(app, service, operation, async (context) => {
    const options = readEditOptions(context);
    const { texts } = readMembers(context.readBody(), ['texts']);
    const edit = changeTexts(readObjects(texts, 'texts', MAX_TEXTS) as WantedText[]);
    return answerEdited(context.reply, await editCatalog(service, context.application, edit, options));
  });
}
