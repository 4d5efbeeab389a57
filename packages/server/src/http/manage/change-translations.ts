import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { changeTexts } from '../../domain/catalog/edits/translations.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

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
