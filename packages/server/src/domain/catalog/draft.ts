import { randomUUIDv7 } from 'node:crypto';
import type { CatalogItem, DraftEdit, DraftEditKind, DraftName } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { inSlices, mapSteps, type Steps } from '../slices.ts';
import { type Catalog, changedItems, type Language, withItems } from './catalog.ts';
import type { CatalogChange } from './change.ts';
import { type CatalogDefinition, definitionOf } from './definition.ts';
import type { OpenCatalog, OpenDraft } from './directory.ts';
import { refuseGrowth } from './growth.ts';
import { type CatalogPlan, planCatalog, planDraft } from './plan.ts';
import { type CountedPlan, planWithImpact, publishCatalog, showPublished, writeDifference } from './publish.ts';
import { changesSince, type Revision } from './revisions.ts';
import { sourcesLeft } from './text-states.ts';
import { changesTextsOnly, refuseMoreThanTexts, type TextLanguages } from './translatable.ts';

/** What an editor has seen: the published catalog without a draft, or a version of a draft, whose base is `revision`. */
export type Seen = { revision: number } & (DraftName | { draftId?: undefined });

export type DraftOptions = {
  author: string;
  seen: Seen | undefined;
  /** The editor may change only texts. */
  textsOnly?: boolean;
  /** And only in these languages. */
  languages?: TextLanguages;
};

type EditedDraft = { draft: OpenDraft | undefined; base: number; changed: boolean; plan: CatalogPlan };

/**
 * The result of an edit of the catalog or its draft. For a draft nothing is counted, because no selection is affected
 * yet.
 */
export type Edited = {
  /** The current revision; for a draft, its base. */
  revision: number;
  changed: boolean;
} & ({ plan: CountedPlan; draft?: undefined } | { plan: CatalogPlan; draft: OpenDraft | null });

/** How often an edit without If-Match is retried when others edit at the same time. */
const TRIES = 5;

/**
 * Keys that were never published are numbered from here, so no selection has their number. Publishing assigns the real
 * one.
 */
const KEY_NOS = 1_000_000_000;

/** Changes the draft, or begins one from the published catalog. */
export async function editDraft(
  service: Service,
  application: Application,
  want: (catalog: Catalog) => Promise<CatalogDefinition>,
  options: DraftOptions,
): Promise<EditedDraft> {
  return trying(service, application, options, async (open) => {
    const before = open.draft?.catalog ?? open.published;
    const plan = await inSlices(planCatalog(before, await want(before), { keyNosFrom: KEY_NOS }));
    if (options.languages) await inSlices(refuseMoreThanTexts(before, plan.next, options.languages));
    await inSlices(refuseGrowth(before, plan.next));
    const items = (await inSlices(changedItems(before, plan.next))).map(({ item }) => item);
    const after = { languages: plan.next.languages, items };
    if (after.items.length === 0 && isSame(before.languages, after.languages)) {
      return { draft: open.draft, base: before.revision, changed: false, plan };
    }
    const draft = await saveDraft(
      service,
      application,
      open,
      after,
      { kind: 'edit', author: options.author },
      plan.changes,
    );
    return draft && { draft, base: draft.baseRevision, changed: true, plan };
  });
}

/** Undoes the last edit of a draft, or redoes the last undone one. */
export async function stepDraft(
  service: Service,
  application: Application,
  kind: 'undo' | 'redo',
  options: DraftOptions,
): Promise<EditedDraft> {
  return trying(service, application, options, async (open) => {
    if (!open.draft) throw new InnkeeperError('draftNotFound');
    const { draftId, catalog: before } = open.draft;
    const edits = await service.storage.drafts.edits(application.appId, draftId, 0);
    const edit = nextStep(edits, kind);
    const inverse = edit && (await service.storage.drafts.inverse(application.appId, { ...edit, draftId }));
    if (inverse === undefined) throw new InnkeeperError(kind === 'undo' ? 'nothingToUndo' : 'nothingToRedo');
    const state = await inSlices(readState(inverse));
    const next = await inSlices(withItems(before, state));
    if (options.textsOnly) await inSlices(refuseMoreThanTexts(before, next, options.languages));
    const plan = { ...(await inSlices(planCatalog(before, await inSlices(definitionOf(next))))), next };
    const saving = { kind, author: options.author, spends: (edit as DraftEdit).version };
    const draft = await saveDraft(service, application, open, state, saving, plan.changes);
    return draft && { draft, base: draft.baseRevision, changed: true, plan };
  });
}

/** The edit that undo or redo would apply to. */
function nextStep(edits: readonly DraftEdit[], kind: 'undo' | 'redo'): DraftEdit | undefined {
  return edits.find((edit) => !edit.spent && (edit.kind === 'undo') === (kind === 'redo'));
}

export async function discardDraft(service: Service, application: Application, options: DraftOptions): Promise<void> {
  await trying(service, application, options, async ({ draft }) => {
    if (!draft) throw new InnkeeperError('draftNotFound');
    // Discarding loses the draft's edits, not what was published meanwhile.
    if (options.textsOnly) await inSlices(refuseMoreThanTexts(draft.base, draft.catalog, options.languages));
    const outcome = await service.storage.drafts.discard(application.appId, draft);
    return outcome === 'conflict' ? undefined : outcome;
  });
}

/**
 * Opens the catalog, checks that it is the version the editor has seen, and runs the act; retries if someone else was
 * faster.
 */
async function trying<T>(
  service: Service,
  application: Application,
  { seen }: Pick<DraftOptions, 'seen'>,
  act: (open: OpenCatalog) => Promise<T | undefined>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const open = await service.openCatalogs.open(application.appId);
    // Check first: the act may fail because something it names is gone, which would hide the actual reason.
    if (seen && !isSeen(open, seen)) throw await draftChanged(service, application, open, seen);
    const done = await act(open);
    if (done !== undefined) return done;
    if (tries === TRIES) throw await draftChanged(service, application, open, seen);
  }
}

function isSeen({ published, draft }: OpenCatalog, seen: Seen): boolean {
  if (seen.draftId === undefined) return !draft && published.revision === seen.revision;
  return draft?.draftId === seen.draftId && draft.version === seen.version;
}

/** Lists the edits since, for a caller that must not overwrite them. */
async function draftChanged(
  { storage }: Service,
  { appId }: Application,
  { draft }: OpenCatalog,
  seen: Seen | undefined,
): Promise<InnkeeperError> {
  const after = draft && seen?.draftId === draft.draftId ? seen.version : 0;
  const edits = draft ? await storage.drafts.edits(appId, draft.draftId, after) : [];
  const { revision, revisions } = await changesSince(storage, appId, seen?.revision);
  return new InnkeeperError('draftChanged', { more: { revision, revisions, edits, draft: draft ?? null } });
}

/** The difference from one state of a draft to another. */
type State = { languages: Language[]; items: CatalogItem[]; removed?: string[] };
type Saving = { kind: DraftEditKind; author: string; spends?: number };

/** undefined: someone else was faster. */
async function saveDraft(
  service: Service,
  { appId }: Application,
  { published, draft: last }: OpenCatalog,
  state: State,
  { kind, author, spends }: Saving,
  changes: readonly CatalogChange[],
): Promise<OpenDraft | undefined> {
  const before = last?.catalog ?? published;
  const catalog = await inSlices(withItems(before, state));
  const now = service.now();
  const draft: OpenDraft = {
    draftId: last?.draftId ?? randomUUIDv7(),
    version: (last?.version ?? 0) + 1,
    baseRevision: last?.baseRevision ?? published.revision,
    languages: JSON.stringify(state.languages),
    createdBy: last?.createdBy ?? author,
    createdAt: last?.createdAt ?? now,
    updatedBy: author,
    updatedAt: now,
    authors: withAuthor(last?.authors ?? [], author),
    catalog,
    base: last?.base ?? published,
  };
  const { catalog: _, base: __, ...record } = draft;
  const outcome = await service.storage.drafts.save({
    appId,
    draft: record,
    items: state.items,
    removed: state.removed ?? [],
    edit: {
      kind,
      difference: await inSlices(writeDifference(changes)),
      inverse: await inSlices(inverseOf(before, catalog)),
    },
    ...(spends !== undefined && { spends }),
    sources: await inSlices(sourcesLeft(before, catalog)),
  });
  if (outcome === 'application-gone') throw new InnkeeperError('applicationNotFound');
  if (outcome === 'conflict') return undefined;
  service.openCatalogs.keepDraft(appId, draft);
  return draft;
}

/** As many as a revision names. */
const AUTHORS = 100;

function withAuthor(authors: string[], author: string): string[] {
  return authors.includes(author) || authors.length >= AUTHORS ? authors : [...authors, author];
}

/** The change from `after` back to `before`, as stored: a line of JSON for the small parts, then one for each item. */
function* inverseOf(before: Catalog, after: Catalog): Steps<string> {
  const added = (yield* changedItems(before, after)).filter((each) => each.before === undefined);
  const removed = added.map(({ item }) => item.itemUid);
  const items = yield* changedItems(after, before);
  const lines = yield* mapSteps(items, ({ item }) => JSON.stringify(item));
  return [JSON.stringify({ languages: before.languages, removed }), ...lines].join('\n');
}

function* readState(inverse: string): Steps<State> {
  const [first = '', ...lines] = inverse.split('\n');
  const { items = [], ...state } = JSON.parse(first) as Partial<State> & Pick<State, 'languages'>;
  // Older records are a single line that includes the items.
  return { ...state, items: [...items, ...(yield* mapSteps(lines, (line) => JSON.parse(line) as CatalogItem))] };
}

function isSame(a: readonly Language[], b: readonly Language[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

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
        await showPublished(service, appId, outcome);
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
