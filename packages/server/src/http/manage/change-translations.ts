import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { changeTexts } from '../../domain/catalog/edits/translations.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';
import { APPLICATION, change, DRAFT_EDIT, edited, IF_MATCH, published, RENAMED } from './examples.ts';
import { applicationRoute } from './manage-route.ts';
import { ChangedMembers, EDITED_HEADERS, EditedAnswer, Nullable } from './schemas.ts';
import { EDIT_LIMIT } from './uploads.ts';

const MAX_TEXTS = 100_000;

const ChangedTextsMembers = Type.Object({
  ...ChangedMembers.properties,
  texts: Type.Optional(
    Type.Array(
      Type.Object({
        path: Type.String(),
        language: Type.String({ description: 'its tag' }),
        text: Nullable(Type.String({ description: 'current text' })),
      }),
      { description: 'texts that differ from `was`' },
    ),
  ),
});

const schema = {
  operationId: 'changeTranslations',
  summary: 'Change many texts at once, all or none',
  description:
    'With `was` in each text, If-Match: * is safe: if a text has changed, 9412 lists the current ones in `texts`.',
  headers: IfMatchHeader,
  querystring: EditQuery,
  body: Type.Object({
    texts: Type.Array(
      Type.Object({
        path: Type.String({ description: 'as in the list of texts' }),
        language: Type.String({ description: 'name or tag' }),
        text: Nullable(Type.String({ description: 'null removes it' })),
        was: Type.Optional(
          Nullable(
            Type.String({ description: 'the expected current text, null for none; if it differs, nothing changes' }),
          ),
        ),
      }),
      { maxItems: MAX_TEXTS },
    ),
  }),
  response: { 200: EditedAnswer, 412: ChangedTextsMembers },
  answerHeaders: EDITED_HEADERS,
  errors: EDIT_ERRORS,
  examples: {
    two: {
      summary: 'One text changed, one removed',
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
            [{ what: 'text', value: 'system', language: 'Español', from: 'Como el dispositivo', to: null }, ...RENAMED],
            1,
          ),
        ],
        missing: ['appearance/theme=system'],
      }),
    },
    gone: {
      summary: 'The text was changed in the meantime',
      params: APPLICATION,
      headers: { 'If-Match': '*' },
      body: { texts: [{ path: 'appearance/theme', language: 'de', text: 'Farben', was: 'Thema' }] },
      status: 412,
      answer: {
        code: '9412',
        message: 'A text has changed since it was read. Nothing was changed.',
        revision: 1,
        revisions: [],
        texts: [{ path: 'appearance/theme', language: 'de', text: 'Farbschema' }],
      },
    },
    draft: {
      summary: 'In a new draft',
      params: APPLICATION,
      query: { draft: true },
      headers: IF_MATCH,
      body: { texts: [{ path: 'appearance/theme', language: 'de', text: 'Farben' }] },
      status: 200,
      answer: edited(DRAFT_EDIT.changes),
    },
  },
};

export function changeTranslationsRoute(app: Routes, service: Service): void {
  const operation = {
    method: 'PATCH',
    path: '/catalog/translations',
    schema,
    access: 'texts',
    bodyLimit: EDIT_LIMIT,
  } as const;
  applicationRoute(app, service, operation, async (context) => {
    const options = readEditOptions(context);
    const { texts } = context.readBody();
    const edit = changeTexts(texts);
    return answerEdited(context.reply, await editCatalog(service, context.application, edit, options));
  });
}
