import { stepDraft } from '../../domain/catalog/draft.ts';
import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, IfMatchHeader, readDraftOptions } from './edit-options.ts';

import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer } from './schemas.ts';

const schema = {
  operationId: 'redoDraft',
  summary: 'Redo the last undone edit of the draft',
  description: 'Possible until the next edit. `redo` of the draft describes the edit.',
  headers: IfMatchHeader,
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: ['ifMatchMissing', 'draftChanged', 'draftNotFound', 'nothingToRedo'] as const,
};

export function redoDraftRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/catalog/draft/redo', schema, access: 'texts' } as const;
  applicationRoute(app, service, operation, async (context) => {
    const {
      base,
      draft = null,
      ...done
    } = await stepDraft(service, context.application, 'redo', readDraftOptions(context));
    return answerEdited(context.reply, { revision: base, draft, ...done });
  });
}
