import { draftEdit, type Plans } from './audit-details.ts';
import type { DraftRecord } from './port.ts';

/** Catalogs and drafts. */
export const AUDITED_CATALOGS: Plans<'catalogs' | 'textStates' | 'drafts'> = {
  catalogs: {
    load: 'read',
    loadAt: 'read',
    // The changes themselves are stored with the revision.
    publish: {
      entries: (_, outcome, _before, { appId, revision, difference }) =>
        outcome === 'published'
          ? [
              {
                action: 'catalog.published',
                appId,
                subject: String(revision),
                before: { revision: revision - 1 },
                after: { revision, changes: (JSON.parse(difference) as unknown[]).length },
              },
            ]
          : [],
    },
    revisions: 'read',
  },
  textStates: {
    list: 'read',
    review: {
      entries: (_, outcome, _before, { appId, texts, reviewed, languages }) =>
        outcome === 'reviewed'
          ? [
              {
                action: 'catalog.textsReviewed',
                appId,
                subject: languages.join(', '),
                after: { texts: texts.length, reviewed },
              },
            ]
          : [],
    },
  },
  drafts: {
    look: 'read',
    load: 'read',
    save: {
      entries: (_, outcome, _before, change) => (outcome === 'saved' ? [draftEdit(change)] : []),
    },
    discard: {
      before: (stores, appId) => stores.drafts.look(appId),
      entries: (_, outcome, { draft }: { draft?: DraftRecord }, appId) =>
        outcome === 'discarded' && draft
          ? [
              {
                action: 'catalog.draftDiscarded',
                appId,
                subject: String(draft.baseRevision),
                before: { baseRevision: draft.baseRevision, edits: draft.version, createdBy: draft.createdBy },
              },
            ]
          : [],
    },
    edits: 'read',
    inverse: 'read',
  },
};
