import { editCatalog } from '../../domain/catalog/edit-catalog.ts';
import { archiveGroup } from '../../domain/catalog/edits/groups.ts';
import type { Service } from '../../domain/service.ts';

import type { Routes } from '../server/routes.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer, GroupParams } from './schemas.ts';

const schema = {
  operationId: 'archiveGroup',
  summary: 'Archive a group with its keys',
  description: 'It is no longer offered; users keep their selections.',
  headers: IfMatchHeader,
  params: GroupParams,
  querystring: EditQuery,
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: [...EDIT_ERRORS, 'catalogItemNotFound'] as const,
};

export function archiveGroupRoute(app: Routes, service: Service): void {
  applicationRoute(app, service, { method: 'DELETE', path: '/catalog/groups/:groupUid', schema }, async (context) => {
    const options = readEditOptions(context);
    const edit = archiveGroup(context.params.groupUid as string);
    return answerEdited(context.reply, await editCatalog(service, context.application, edit, options));
  });
}
