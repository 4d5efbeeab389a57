import { publishDraft } from '../../domain/catalog/publish-draft.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { answerEdited, IfMatchHeader, readDraftOptions } from './edit-options.ts';
import { ANY_MATCH, APPLICATION, published, RENAMED_THEME } from './examples.ts';
import { refuse } from './input.ts';
import { applicationRoute } from './manage-route.ts';
import { EditedAnswer } from './schemas.ts';

const schema = {
  operationId: 'publishDraft',
  summary: 'Publish the draft as one revision',
  description:
    'The draft is gone then. One that changes more than texts takes access "write". If the catalog was published anew since the draft was begun, nothing is published (9412) unless `over` names that revision.',
  headers: IfMatchHeader,
  body: Type.Object({
    allowBreaking: Type.Optional(
      Type.Boolean({ default: false, description: 'publish even what breaks saved selections' }),
    ),
    over: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'the newest revision, which you have looked at: what it changed is undone where the draft has it otherwise',
      }),
    ),
  }),
  response: { 200: EditedAnswer },
  answerHeaders: { ETag: 'the revision of the catalog as it is now' },
  errors: ['ifMatchMissing', 'draftChanged', 'draftOutdated', 'draftNotFound', 'catalogBreaking'] as const,
  examples: {
    text: {
      summary: 'A draft with one text changed',
      params: APPLICATION,
      headers: ANY_MATCH,
      body: { allowBreaking: false },
      status: 200,
      answer: published(RENAMED_THEME),
    },
  },
};

export function publishDraftRoute(app: Routes, service: Service): void {
  const operation = { method: 'POST', path: '/catalog/draft/publish', schema, access: 'texts' } as const;
  applicationRoute(app, service, operation, async (context) => {
    const options = readDraftOptions(context);
    const { allowBreaking = false, over } = context.readMembers();
    if (typeof allowBreaking !== 'boolean') throw refuse('allowBreaking', 'must be true or false');
    const wanted = { ...options, allowBreaking, over: readOver(over) };
    return answerEdited(context.reply, await publishDraft(service, context.application, wanted));
  });
}

function readOver(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw refuse('over', 'must be a revision');
  return value as number;
}
