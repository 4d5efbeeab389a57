import { stepDraft } from '../../domain/catalog/draft.ts';
import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, IfMatchHeader, readDraftOptions } from './edit-options.ts';
import { ANY_MATCH, APPLICATION, change, edited } from './examples.ts';
import { applicationRoute } from './manage-route.ts';
import { EDITED_HEADERS, EditedAnswer } from './schemas.ts';

const schema = {
  operationId: 'undoDraft',
  summary: 'Take back the last edit of the draft',
  description:
    'And then the one before it, up to a hundred. `undo` of the draft says which it is; what was about more than texts takes access "write".',
  headers: IfMatchHeader,
  response: { 200: EditedAnswer },
  answerHeaders: EDITED_HEADERS,
  errors: ['ifMatchMissing', 'draftChanged', 'draftNotFound', 'nothingToUndo'] as const,
  examples: {
    text: {
      summary: 'A text is as it was',
      params: APPLICATION,
      headers: ANY_MATCH,
      status: 200,
      answer: edited(
        [
          change('changed', 'key', 'appearance/theme', [
            { what: 'text', language: 'Deutsch', from: 'Farben', to: 'Farbschema' },
          ]),
        ],
        2,
      ),
    },
  },
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
