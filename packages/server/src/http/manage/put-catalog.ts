import { applyDefinition } from '../../domain/catalog/edit-catalog.ts';
import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { CatalogShape, EDITED_HEADERS, EditedAnswer } from './schemas.ts';
import { readCatalogBody, UPLOAD_LIMIT } from './uploads.ts';

const schema = {
  operationId: 'putCatalog',
  summary: 'Replace the catalog with a file, in one revision',
  description:
    'Groups and keys that the file does not contain are archived. They are identified by name; `was` renames, or moves a key to another group.',
  headers: IfMatchHeader,
  querystring: EditQuery,
  body: CatalogShape,
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: EDIT_ERRORS,
};

export function putCatalogRoute(app: Routes, service: Service): void {
  const operation = { method: 'PUT', path: '/catalog', schema, bodyLimit: UPLOAD_LIMIT } as const;
  applicationRoute(app, service, operation, async (context) => {
    const options = readEditOptions(context);
    const { application, body } = context;
    const definition = await readCatalogBody(service, application, body);
    const edited = await applyDefinition(service, application, definition, options);
    return answerEdited(context.reply, edited);
  });
}
