import type { DraftEdit } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import type { Service } from '../service.ts';
import { inSlices } from '../slices.ts';
import { nextStep } from './draft.ts';
import type { OpenDraft } from './open-catalogs.ts';
import type { CatalogPlan } from './plan.ts';
import { planDraft } from './plan-draft.ts';
import { type CountedPlan, planWithImpact } from './publish.ts';
import { changesSince, type Revision } from './revisions.ts';
import { changesTextsOnly } from './texts-only.ts';

export type DescribedDraft = {
  draft: OpenDraft;
  plan: CatalogPlan;
  /** With the selections it breaks, if requested: counting takes time. */
  counted: CountedPlan | undefined;
  /** Whether only texts differ from the published catalog; `editsTextsOnly`: from the draft's base. */
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
  { withImpact }: { withImpact: boolean },
): Promise<{ revision: number; described: DescribedDraft | undefined }> {
  const { published, draft } = await openCatalogs.open(appId);
  const { revision } = published;
  if (!draft) return { revision, described: undefined };
  const planned = await inSlices(planDraft(published, draft.catalog));
  const counted = withImpact ? await planWithImpact(storage, appId, planned) : undefined;
  const plan = counted ?? planned;
  const edits = await storage.drafts.edits(appId, draft.draftId, 0);
  const textsOnly = await inSlices(changesTextsOnly(published, plan.next));
  const isMoved = revision !== draft.baseRevision;
  return {
    revision,
    described: {
      draft,
      plan,
      counted,
      textsOnly,
      editsTextsOnly: isMoved ? await inSlices(changesTextsOnly(draft.base, draft.catalog)) : textsOnly,
      edits,
      undo: nextStep(edits, 'undo'),
      redo: nextStep(edits, 'redo'),
      revisions: isMoved ? (await changesSince(storage, appId, draft.baseRevision)).revisions : [],
    },
  };
}
