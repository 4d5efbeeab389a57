import { publishDraft } from '../../domain/catalog/publish-draft.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, IfMatchHeader, readDraftOptions } from './edit-options.ts';

import { refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { EditedAnswer } from './schemas.ts';

const MAX_NOTE = 1000;

const schema = {
  operationId: 'publishDraft',
  summary: 'Publish the draft as one revision',
  description:
    'This ends the draft. Access "write" is required if it changes more than texts. If a newer revision was published since the draft was started, nothing is published (9412) unless `over` is that revision.',
  headers: IfMatchHeader,
  body: Type.Object({
    allowBreaking: Type.Optional(Type.Boolean({ default: false, description: 'publish breaking changes too' })),
    over: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'the newest revision, which you have reviewed; the draft overrides its changes',
      }),
    ),
    note: Type.Optional(Type.String({ description: `why, at most ${MAX_NOTE} characters; shown with the revision` })),
  }),
  response: { 200: EditedAnswer },
  answerHeaders: { ETag: 'the current revision of the catalog' },
  errors: ['ifMatchMissing', 'draftChanged', 'draftOutdated', 'draftNotFound', 'catalogBreaking'] as const,
};

export function publishDraftRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/catalog/draft/publish', schema, access: 'texts' } as const;
  applicationRoute(app, service, operation, async (context) => {
    const options = readDraftOptions(context);
    const { allowBreaking = false, over, note } = context.readBody();
    const wanted = { ...options, allowBreaking, over, note: readNote(note) };
    return answerEdited(context.reply, await publishDraft(service, context.application, wanted));
  });
}

/** A blank one is none. */
function readNote(given = ''): string | undefined {
  const note = given.trim();
  if (note.length > MAX_NOTE) throw refuse('note', `must have at most ${MAX_NOTE} characters`);
  if (note.includes('\u0000') || !note.isWellFormed()) throw refuse('note', 'contains characters that are not text');
  return note === '' ? undefined : note;
}
