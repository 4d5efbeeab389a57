import { type DescribedDraft, describeDraft } from '../../domain/catalog/describe-draft.ts';
import type { Service } from '../../domain/service.ts';
import { Type } from '../../schema.ts';
import type { Routes } from '../server/routes.ts';
import { draftTag, viewDraft, viewEdit } from './draft-views.ts';
import { revisionTag } from './edit-options.ts';
import { applicationRoute } from './manage-route.ts';
import { DraftEditShape, DraftShape, EDITED_HEADERS, Nullable, PlanShape, RevisionShape } from './schemas.ts';
import { viewPlan, viewRevision } from './views.ts';

/** As many as a person looks back on. */
const EDITS_TOLD = 20;

const schema = {
  operationId: 'getDraft',
  summary: 'Get the draft of the catalog, and what publishing it would change',
  description: 'Breaking changes and affected selections are counted now.',
  querystring: Type.Object({
    plan: Type.Optional(Type.Boolean({ default: true, description: 'false omits `plan`, which takes time to count' })),
  }),
  response: {
    200: Type.Object({
      revision: Type.Integer({ description: 'the published revision' }),
      draft: Nullable(
        Type.Object({
          ...DraftShape.properties,
          changeCount: Type.Integer({ description: 'differences from the published catalog' }),
          textsOnly: Type.Boolean({ description: 'access "texts" is enough to publish it' }),
          editsTextsOnly: Type.Boolean({
            description: 'access "texts" is enough to discard it',
          }),
          undo: Nullable(DraftEditShape),
          redo: Nullable(DraftEditShape),
          edits: Type.Array(DraftEditShape, { description: `the last ${EDITS_TOLD}, newest first` }),
          revisions: Type.Array(Type.Object(RevisionShape), {
            description: 'revisions published since the draft was started; publishing the draft would undo them',
          }),
          plan: Type.Optional(
            Type.Object({
              changes: PlanShape.changes,
              breaking: PlanShape.breaking,
              notes: PlanShape.notes,
              missing: Type.Array(
                Type.Object({
                  language: Type.String(),
                  total: Type.Integer({ description: 'total number of texts' }),
                  missing: Type.Integer({ description: 'number of missing texts' }),
                }),
              ),
            }),
          ),
        }),
      ),
    }),
  },
  answerHeaders: EDITED_HEADERS,
};

export function getDraftRoute(app: Routes, service: Service): void {
  const operation = { method: 'GET', path: '/catalog/draft', schema, alwaysNew: true } as const;
  applicationRoute(app, service, operation, async ({ application, readQuery, reply }) => {
    const { plan: withImpact = true } = readQuery();
    const { revision, described } = await describeDraft(service, application, { withImpact });
    reply.header('etag', described ? draftTag(described.draft) : revisionTag(revision));
    return { revision, draft: described ? await viewDescribed(described) : null };
  });
}

async function viewDescribed({
  draft,
  plan,
  counted,
  textsOnly,
  editsTextsOnly,
  edits,
  undo,
  redo,
  revisions,
}: DescribedDraft) {
  const viewed = counted && (await viewPlan(counted));
  return {
    ...viewDraft(draft),
    changeCount: plan.changes.length,
    textsOnly,
    editsTextsOnly,
    undo: undo ? viewEdit(undo) : null,
    redo: redo ? viewEdit(redo) : null,
    edits: edits.slice(0, EDITS_TOLD).map(viewEdit),
    revisions: revisions.map(viewRevision),
    ...(viewed && {
      plan: {
        ...viewed,
        missing: viewed.missing.map(({ language, total, count }) => ({ language, total, missing: count })),
      },
    }),
  };
}
