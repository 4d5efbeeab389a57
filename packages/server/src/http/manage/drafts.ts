import {
  type DescribedDraft,
  describeDraft,
  discardDraft,
  publishDraft,
  stepDraft,
} from '../../domain/catalog/draft.ts';
import { applyDefinition } from '../../domain/catalog/edit-catalog.ts';
import type { Service } from '../../domain/service.ts';
import { Nullable, Type } from '../../schema.ts';
import {
  IfMatchHeader,
  NoteShape,
  readCatalogBody,
  readDraftOptions,
  requireNote,
  respondEdited,
  revisionTag,
  UPLOAD_LIMIT,
} from './edit-options.ts';
import type { ManageRoutes } from './manage-route.ts';
import {
  CatalogShape,
  DraftEditShape,
  DraftShape,
  EDITED_HEADERS,
  EditedResponse,
  PlanShape,
  RevisionShape,
} from './schemas.ts';
import { draftTag, viewDraft, viewEdit, viewPlan, viewRevision } from './views.ts';

/** Maximum edits in the response. */
const EDITS_SHOWN = 20;

/** The draft of the catalog. */
export function draftRoutes({ applicationRoute }: ManageRoutes, service: Service): void {
  applicationRoute('GET', '/catalog/draft', {
    operationId: 'getDraft',
    alwaysNew: true,
    summary: 'Get the draft of the catalog, and what publishing it would change',
    description: 'Breaking changes and affected selections are counted now.',
    querystring: Type.Object({
      plan: Type.Optional(
        Type.Boolean({ default: true, description: 'false omits `plan`, which takes time to count' }),
      ),
    }),
    response: {
      200: Type.Object({
        revision: Type.Integer({ description: 'the published revision' }),
        draft: Nullable(
          Type.Object({
            ...DraftShape.properties,
            changeCount: Type.Integer({ description: 'differences from the published catalog' }),
            textsOnly: Type.Boolean({ description: 'access "texts", in your languages, is enough to publish it' }),
            editsTextsOnly: Type.Boolean({
              description: 'access "texts", in your languages, is enough to discard it',
            }),
            undo: Nullable(DraftEditShape),
            redo: Nullable(DraftEditShape),
            edits: Type.Array(DraftEditShape, { description: `the last ${EDITS_SHOWN}, newest first` }),
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
    responseHeaders: EDITED_HEADERS,
    async handle({ application, manager, readQuery, reply }) {
      const { plan: withImpact = true } = readQuery();
      const languages = manager.languagesOf(application.appId);
      const { revision, described } = await describeDraft(service, application, { withImpact, languages });
      reply.header('etag', described ? draftTag(described.draft) : revisionTag(revision));
      return { revision, draft: described ? await viewDescribed(described) : null };
    },
  });

  applicationRoute('PUT', '/catalog/draft', {
    operationId: 'putDraft',
    bodyLimit: UPLOAD_LIMIT,
    summary: 'Replace the draft with a file',
    description:
      'Groups and keys that the file does not contain will be archived. They are identified by their names in the draft; `was` renames.',
    headers: IfMatchHeader,
    body: CatalogShape,
    response: { 200: EditedResponse },
    responseHeaders: EDITED_HEADERS,
    errors: ['ifMatchMissing', 'draftChanged', 'catalogInvalid'],
    async handle(context) {
      const options = { ...readDraftOptions(context), draft: true, allowBreaking: false };
      const { application, body } = context;
      const definition = await readCatalogBody(service, application, body);
      return respondEdited(context.reply, await applyDefinition(service, application, definition, options));
    },
  });

  applicationRoute('DELETE', '/catalog/draft', {
    operationId: 'discardDraft',
    access: 'texts',
    summary: 'Discard the draft of the catalog',
    description:
      'The published catalog stays unchanged. Access "write" is required if the draft changes more than texts.',
    headers: IfMatchHeader,
    response: { 204: { description: 'The draft was discarded.', type: 'null' } },
    errors: ['ifMatchMissing', 'draftChanged', 'draftNotFound'],
    async handle(context) {
      await discardDraft(service, context.application, readDraftOptions(context));
    },
  });

  applicationRoute('POST', '/catalog/draft/publish', {
    operationId: 'publishDraft',
    access: 'texts',
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
      note: NoteShape,
    }),
    response: { 200: EditedResponse },
    responseHeaders: { ETag: 'the current revision of the catalog' },
    errors: ['ifMatchMissing', 'draftChanged', 'draftOutdated', 'draftNotFound', 'catalogBreaking'],
    async handle(context) {
      const options = readDraftOptions(context);
      const { allowBreaking = false, over, note } = context.readBody();
      const wanted = { ...options, allowBreaking, over, note: requireNote(note) };
      return respondEdited(context.reply, await publishDraft(service, context.application, wanted));
    },
  });

  for (const step of ['undo', 'redo'] as const) {
    applicationRoute('POST', `/catalog/draft/${step}`, {
      ...STEPS[step],
      operationId: `${step}Draft`,
      access: 'texts',
      headers: IfMatchHeader,
      response: { 200: EditedResponse },
      responseHeaders: EDITED_HEADERS,
      async handle(context) {
        const { application, reply } = context;
        const { base, draft = null, ...done } = await stepDraft(service, application, step, readDraftOptions(context));
        return respondEdited(reply, { revision: base, draft, ...done });
      },
    });
  }
}

const STEPS = {
  undo: {
    summary: 'Undo the last edit of the draft',
    description:
      'Repeatable up to a hundred times. `undo` of the draft describes the edit; access "write" is required if it changed more than texts.',
    errors: ['ifMatchMissing', 'draftChanged', 'draftNotFound', 'nothingToUndo'],
  },
  redo: {
    summary: 'Redo the last undone edit of the draft',
    description: 'Possible until the next edit. `redo` of the draft describes the edit.',
    errors: ['ifMatchMissing', 'draftChanged', 'draftNotFound', 'nothingToRedo'],
  },
} as const;

async function viewDescribed(described: DescribedDraft) {
  const { draft, plan, counted, textsOnly, editsTextsOnly, edits, undo, redo, revisions } = described;
  const viewed = counted && (await viewPlan(counted));
  return {
    ...viewDraft(draft),
    changeCount: plan.changes.length,
    textsOnly,
    editsTextsOnly,
    undo: undo ? viewEdit(undo) : null,
    redo: redo ? viewEdit(redo) : null,
    edits: edits.slice(0, EDITS_SHOWN).map(viewEdit),
    revisions: revisions.map(viewRevision),
    ...(viewed && {
      plan: {
        ...viewed,
        missing: viewed.missing.map(({ language, total, count }) => ({ language, total, missing: count })),
      },
    }),
  };
}
