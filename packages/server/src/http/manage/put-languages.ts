import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { setLanguages } from '../../domain/catalog/edits/languages.ts';
import { CatalogFileSchema } from '../../domain/catalog/file-schema.ts';
import type { Service } from '../../domain/service.ts';
import { readElsewhere, Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer } from './schemas.ts';

const schema = {
  operationId: 'putLanguages',
  summary: 'Set the languages of an application, in order',
  description:
    'A language is identified by its tag, so its name can change. A removed language is no longer served; its texts remain in earlier revisions.',
  headers: IfMatchHeader,
  querystring: EditQuery,
  body: Type.Object({ languages: readElsewhere(CatalogFileSchema.properties.languages) }),
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: EDIT_ERRORS,
};

export function putLanguagesRoute(app: Routes, service: Service): void {
  applicationRoute(app, service, { method: 'PUT', path: '/catalog/languages', schema }, async (context) => {
    const options = readEditOptions(context);
    const { languages } = context.readBody();
    return answerEdited(
      context.reply,
      await editCatalog(service, context.application, setLanguages(languages), options),
    );
  });
}
