import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { inSlices } from '../slices.ts';
import { definitionOf } from './definition.ts';
import { type DraftOptions, trying } from './draft.ts';
import type { Edited } from './edit-catalog.ts';
import type { OpenDraft } from './open-catalogs.ts';
import { planDraft } from './plan-draft.ts';
import { publishCatalog } from './publish.ts';
import { changesSince } from './revisions.ts';
import { refuseMoreThanTexts } from './texts-only.ts';

export type PublishDraftOptions = DraftOptions & {
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
