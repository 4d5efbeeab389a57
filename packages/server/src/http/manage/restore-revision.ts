import { restoreRevision } from '../../domain/catalog/edit-catalog.ts';
import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, EDIT_ERRORS, EditQuery, IfMatchHeader, readEditOptions } from './edit-options.ts';

import { readParameters } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer, RevisionParams } from './schemas.ts';

const schema = {
  operationId: 'restoreRevision',
  summary: 'Restore a revision as a new revision',
  description: 'Revisions in between are kept. Items renamed or archived since keep their UID.',
  headers: IfMatchHeader,
  params: RevisionParams,
  querystring: EditQuery,
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: [...EDIT_ERRORS, 'revisionNotFound'] as const,
};

export function restoreRevisionRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/revisions/:revision/restore', schema } as const;
  applicationRoute(app, service, operation, async (context) => {
    const options = readEditOptions(context);
    const { revision } = readParameters(RevisionParams, context.params);
    return answerEdited(context.reply, await restoreRevision(service, context.application, revision, options));
  });
}
