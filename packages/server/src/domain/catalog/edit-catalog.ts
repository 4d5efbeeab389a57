import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import { MAX_STEPS_INLINE } from '../selections/check-selection.ts';
import type { Service } from '../service.ts';
import { inSlices, type Steps } from '../slices.ts';
import { type Catalog, readCatalog } from './catalog.ts';
import { type CatalogDefinition, definitionOf } from './definition.ts';
import type { Edited } from './draft.ts';
import { editDraft, type Seen } from './draft.ts';
import type { FileKey } from './file-schema.ts';
import { countSteps, type KnownMatches, MAX_STEPS_OF_DEFAULTS, nameCheck, type PatternCheck } from './pattern.ts';
import { planCatalog } from './plan.ts';
import { type PublishOutcome, publishCatalog, showPublished } from './publish.ts';
import { changesSince } from './revisions.ts';
import { refuseMoreThanTexts, type TextLanguages } from './translatable.ts';
import { openKeys, readWorkingCopy, type WorkingCopy, workingCopyOf } from './working-copy.ts';

export type EditOptions = {
  author: string;
  allowBreaking: boolean;
  /** The version the editor has seen; undefined: any. */
  seen: Seen | undefined;
  /** Change the draft and publish nothing. */
  draft: boolean;
  /** The languages whose texts may change, for an editor who is limited to them. */
  languages?: TextLanguages;
  /** Kept with the revision. */
  note?: string;
};

/** What an edit does to a copy. Returns its place in the file, for error messages. */
export type Edit = (copy: WorkingCopy) => EditPath | Steps<EditPath>;
export type EditPath = (string | number)[];

/** Makes the catalog match the definition, unless someone else changed it meanwhile. */
export function applyDefinition(
  service: Service,
  application: Application,
  definition: CatalogDefinition,
  options: EditOptions,
): Promise<Edited> {
  return changeCatalog(service, application, async () => definition, options);
}

/** Restores the catalog of a revision; items renamed since keep their UID. */
export async function restoreRevision(
  service: Service,
  application: Application,
  revision: number,
  options: EditOptions,
): Promise<Edited> {
  const stored = await service.storage.catalogs.loadAt(application.appId, revision);
  if (!stored) throw new InnkeeperError('revisionNotFound');
  const definition = await inSlices(definitionOf(await inSlices(readCatalog(stored))));
  return applyDefinition(service, application, definition, options);
}

/** Makes one change to the current catalog. */
export function editCatalog(
  service: Service,
  application: Application,
  edit: Edit,
  options: EditOptions,
): Promise<Edited> {
  const want = async (catalog: Catalog): Promise<CatalogDefinition> => {
    const copy = workingCopyOf(catalog);
    const made = edit(copy);
    const base = Array.isArray(made) ? made : await inSlices(made);
    const known = await matchDefaults(service, application, openKeys(copy));
    return inSlices(readWorkingCopy(copy, base, known));
  };
  return changeCatalog(service, application, want, options);
}

/** How often an edit without If-Match is retried when others publish at the same time. */
const TRIES = 5;

async function changeCatalog(
  service: Service,
  application: Application,
  want: (catalog: Catalog) => Promise<CatalogDefinition>,
  options: EditOptions,
): Promise<Edited> {
  if (options.draft) {
    const { draft = null, base, changed, plan } = await editDraft(service, application, want, options);
    return { revision: base, changed, plan, draft };
  }
  const { author, allowBreaking, seen, languages, note } = options;
  for (let tries = 1; ; tries++) {
    const current = await service.openCatalogs.published(application.appId);
    // Check first: the edit may fail because something it names is gone, which would hide the actual reason.
    if (seen !== undefined && seen.revision !== current.revision) {
      throw await changedMeanwhile(service, application, seen.revision);
    }
    const wanted = await want(current);
    if (languages) {
      const { next } = await inSlices(planCatalog(current, wanted));
      await inSlices(refuseMoreThanTexts(current, next, languages));
    }
    const published = await publishCatalog(service.storage, application.appId, wanted, {
      author,
      allowBreaking,
      now: service.now(),
      // The edit is based on this revision: published over another, it would undo that one.
      expectedRevision: current.revision,
      current,
      ...(note !== undefined && { note }),
    });
    const again = published.outcome === 'conflict' && seen === undefined && tries < TRIES;
    if (!again) return settle(service, application, published, seen?.revision);
  }
}

async function settle(
  service: Service,
  application: Application,
  published: PublishOutcome,
  seen: number | undefined,
): Promise<Edited> {
  switch (published.outcome) {
    case 'published':
      await showPublished(service, application.appId, published);
      return { revision: published.revision, changed: true, plan: published.plan };
    case 'unchanged':
      return { revision: published.revision, changed: false, plan: published.plan };
    case 'breaking':
      throw new InnkeeperError('catalogBreaking', { more: { breaking: published.plan.breaking } });
    case 'conflict':
      throw await changedMeanwhile(service, application, seen);
    case 'application-gone':
      throw new InnkeeperError('applicationNotFound');
  }
}

/** Lists what changed since the revision the caller has seen, because it must not overwrite that. */
async function changedMeanwhile(
  service: Service,
  { appId }: Application,
  seen: number | undefined,
): Promise<InnkeeperError> {
  const more = await changesSince(service.storage, appId, seen);
  return new InnkeeperError('catalogChanged', { more, headers: { etag: `"${more.revision}"` } });
}

/**
 * Matches the defaults of an edit on a worker thread if that takes too long for the HTTP thread. Nothing has been
 * checked yet.
 */
async function matchDefaults(
  { work }: Service,
  { appId }: Application,
  keys: readonly FileKey[],
): Promise<KnownMatches> {
  const checks: PatternCheck[] = [];
  let steps = 0;
  for (const { constraint, default: given } of keys) {
    const pattern: unknown = constraint?.pattern;
    if (typeof pattern !== 'string') continue;
    for (const [at, text] of [given].flat().entries()) {
      if (typeof text !== 'string') continue;
      steps += countSteps(pattern, text, at === 0);
      // The rest is refused without matching.
      if (steps > MAX_STEPS_OF_DEFAULTS) break;
      checks.push({ pattern, text });
    }
  }
  if (steps <= MAX_STEPS_INLINE) return new Map();
  const results = await work.run('matchPatterns', checks, { appId });
  return new Map(checks.map((check, index) => [nameCheck(check), results[index] as boolean]));
}
