import type { DraftEdit } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { inSlices } from '../slices.ts';
import { definitionOf } from './definition.ts';
import { type DraftOptions, nextStep, trying } from './draft.ts';
import type { Edited } from './edit-catalog.ts';
import type { OpenDraft } from './open-catalogs.ts';
import { type CatalogPlan, planDraft } from './plan.ts';
import { type CountedPlan, planWithImpact, publishCatalog } from './publish.ts';
import { changesSince, type Revision } from './revisions.ts';
import { changesTextsOnly, refuseMoreThanTexts, type TextLanguages } from './translatable.ts';

export type DescribedDraft = {
  draft: OpenDraft;
  plan: CatalogPlan;
  /** With the selections it breaks, if requested: counting takes time. */
  counted: CountedPlan | undefined;
  /** Whether only texts in the editor's languages differ from the published catalog; `editsTextsOnly`: from the draft's base. */
  textsOnly: boolean;
  editsTextsOnly: boolean;
  edits: DraftEdit[];
  undo: DraftEdit | undefined;
  redo: DraftEdit | undefined;
  /** What was published since the draft was begun. */
  revisions: Revision[];
};

/** The plan for publishing the draft now. */
export async function describeDraft(
  { storage, openCatalogs }: Service,
  { appId }: Application,
  { withImpact, languages }: { withImpact: boolean; languages: TextLanguages },
): Promise<{ revision: number; described: DescribedDraft | undefined }> {
  const { published, draft } = await openCatalogs.open(appId);
  const { revision } = published;
  if (!draft) return { revision, described: undefined };
  const planned = await inSlices(planDraft(published, draft.catalog));
  const counted = withImpact ? await planWithImpact(storage, appId, planned) : undefined;
  const plan = counted ?? planned;
  const edits = await storage.drafts.edits(appId, draft.draftId, 0);
  const textsOnly = await inSlices(changesTextsOnly(published, plan.next, languages));
  const isMoved = revision !== draft.baseRevision;
  return {
    revision,
    described: {
      draft,
      plan,
      counted,
      textsOnly,
      editsTextsOnly: isMoved ? await inSlices(changesTextsOnly(draft.base, draft.catalog, languages)) : textsOnly,
      edits,
      undo: nextStep(edits, 'undo'),
      redo: nextStep(edits, 'redo'),
      revisions: isMoved ? (await changesSince(storage, appId, draft.baseRevision)).revisions : [],
    },
  };
}

type PublishDraftOptions = DraftOptions & {
  allowBreaking: boolean;
  /** The revision that the editor has reviewed and publishes over; default: the draft's base. */
  over: number | undefined;
  note?: string | undefined;
};

/** Publishes the draft as one revision and ends it. */
export async function publishDraft(
  service: Service,
  application: Application,
  { author, seen, allowBreaking, over, note, textsOnly, languages }: PublishDraftOptions,
): Promise<Edited> {
  const { storage } = service;
  const { appId } = application;
  return trying(service, application, { seen }, async ({ published, draft }): Promise<Edited | undefined> => {
    if (!draft) throw new InnkeeperError('draftNotFound');
    const { revision } = published;
    if ((over ?? draft.baseRevision) !== revision) throw await draftOutdated(service, application, draft);
    const wanted = await inSlices(definitionOf(draft.catalog));
    if (textsOnly) {
      const { next } = await inSlices(planDraft(published, draft.catalog));
      await inSlices(refuseMoreThanTexts(published, next, languages));
    }
    const outcome = await publishCatalog(storage, appId, wanted, {
      author,
      now: service.now(),
      allowBreaking,
      expectedRevision: revision,
      current: published,
      draft,
      ...(note !== undefined && { note }),
    });
    switch (outcome.outcome) {
      case 'published':
        // It is published even if this fails: every process sees it within a second, and this one sooner if it can.
        await service.refresh().catch(() => {});
        return { revision: outcome.revision, changed: true, plan: outcome.plan };
      case 'unchanged': {
        const discarded = await storage.drafts.discard(appId, draft);
        return discarded === 'conflict' ? undefined : { revision, changed: false, plan: outcome.plan };
      }
      case 'breaking':
        throw new InnkeeperError('catalogBreaking', { more: { breaking: outcome.plan.breaking } });
      case 'conflict':
        return undefined;
      case 'application-gone':
        throw new InnkeeperError('applicationNotFound');
    }
  });
}

async function draftOutdated(
  { storage }: Service,
  { appId }: Application,
  { baseRevision }: OpenDraft,
): Promise<InnkeeperError> {
  return new InnkeeperError('draftOutdated', { more: await changesSince(storage, appId, baseRevision) });
}
