import { stepDraft } from '../../domain/catalog/draft.ts';
import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, IfMatchHeader, readDraftOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer } from './schemas.ts';

const schema = {
  operationId: 'undoDraft',
  summary: 'Undo the last edit of the draft',
  description:
    'Repeatable up to a hundred times. `undo` of the draft describes the edit; access "write" is required if it changed more than texts.',
  headers: IfMatchHeader,
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: ['ifMatchMissing', 'draftChanged', 'draftNotFound', 'nothingToUndo'] as const,
};

export function undoDraftRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/catalog/draft/undo', schema, access: 'texts' } as const;
  applicationRoute(app, service, operation, async (context) => {
    const {
      base,
      draft = null,
      ...done
    } = await stepDraft(service, context.application, 'undo', readDraftOptions(context));
    return answerEdited(context.reply, { revision: base, draft, ...done });
  });
}
