import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { archiveKey } from '../../domain/catalog/edits/keys.ts';
import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer, KeyParams } from './schemas.ts';

const schema = {
  operationId: 'archiveKey',
  summary: 'Archive a key',
  description: 'It is no longer offered; users keep their selections.',
  headers: IfMatchHeader,
  params: KeyParams,
  querystring: EditQuery,
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: [...EDIT_ERRORS, 'catalogItemNotFound'] as const,
};

export function archiveKeyRoute(app: Routes, service: Service): void {
  applicationRoute(app, service, { method: 'DELETE', path: '/catalog/keys/:keyUid', schema }, async (context) => {
    const options = readEditOptions(context);
    const edit = archiveKey(context.params.keyUid as string);
    return answerEdited(context.reply, await editCatalog(service, context.application, edit, options));
  });
}
