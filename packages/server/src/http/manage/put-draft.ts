import { applyDefinition } from '../../domain/catalog/edit-catalog.ts';
import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, IfMatchHeader, readDraftOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { CatalogShape, EDITED_HEADERS, EditedAnswer } from './schemas.ts';
import { readCatalogBody, UPLOAD_LIMIT } from './uploads.ts';

const schema = {
  operationId: 'putDraft',
  summary: 'Replace the draft with a file',
  description:
    'Groups and keys that the file does not contain will be archived. They are identified by their names in the draft; `was` renames.',
  headers: IfMatchHeader,
  body: CatalogShape,
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: ['ifMatchMissing', 'draftChanged', 'catalogInvalid'] as const,
};

export function putDraftRoute(app: Routes, service: Service): void {
  const operation = { method: 'PUT', path: '/catalog/draft', schema, bodyLimit: UPLOAD_LIMIT } as const;
  applicationRoute(app, service, operation, async (context) => {
    const options = { ...readDraftOptions(context), draft: true, allowBreaking: false };
    const { application, body } = context;
    const definition = await readCatalogBody(service, application, body);
    return answerEdited(context.reply, await applyDefinition(service, application, definition, options));
  });
}
