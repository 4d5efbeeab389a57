import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { inSlices, type Steps } from '../slices.ts';
import { type Catalog, readCatalog } from './catalog.ts';
import { type CatalogDefinition, definitionOf } from './definition.ts';
import { editDraft, type Seen } from './draft.ts';
import { matchDefaults } from './match-defaults.ts';
import type { OpenDraft } from './open-catalogs.ts';
import { type CatalogPlan, planCatalog } from './plan.ts';
import { type CountedPlan, type PublishOutcome, publishCatalog } from './publish.ts';
import { changesSince } from './revisions.ts';
import { refuseMoreThanTexts, type TextLanguages } from './texts-only.ts';
import { openKeys, readWorkingCopy, type WorkingCopy, workingCopyOf } from './working-copy.ts';

export type EditOptions = {
  author: string;
  allowBreaking: boolean;
  /** The version the editor has seen; undefined: any. */
  seen: Seen | undefined;
  /** The draft is changed, and nothing published. */
  draft: boolean;
  /** The languages whose texts may change, of an editor who is limited to them. */
  languages?: TextLanguages;
};

/** What became of the catalog, or of its draft: that is not counted, as nothing happens to anybody's selections yet. */
export type Edited = {
  /** As it is now; of a draft, the one that it was begun from. */
  revision: number;
  changed: boolean;
} & ({ plan: CountedPlan; draft?: undefined } | { plan: CatalogPlan; draft: OpenDraft | null });

/** What an edit does to a copy. Returns its place in the file, for error messages. */
export type Edit = (copy: WorkingCopy) => EditPath | Steps<EditPath>;
export type EditPath = (string | number)[];

/** Makes the catalog what the definition wants, unless somebody else changed it meanwhile. */
export function applyDefinition(
  service: Service,
  application: Application,
  definition: CatalogDefinition,
  options: EditOptions,
): Promise<Edited> {
  return changeCatalog(service, application, async () => definition, options);
}

/** Makes the catalog what it was at a revision; what was renamed since keeps its UID. */
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

/** Changes one thing in the catalog as it is. */
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
  const { author, allowBreaking, seen, languages } = options;
  for (let tries = 1; ; tries++) {
    const current = await service.openCatalogs.published(application.appId);
    // Before the edit: what it names may be gone, and then that is not what the editor should be told.
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
      // What was changed is this revision: published over another, it would undo what that one did.
      expectedRevision: current.revision,
      current,
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
      // It is published, even if this fails: every process sees it within a second, this one sooner if it can.
      await service.refresh().catch(() => {});
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

/** For a caller that must not overwrite it: what changed since the revision it has seen. */
async function changedMeanwhile(
  service: Service,
  { appId }: Application,
  seen: number | undefined,
): Promise<InnkeeperError> {
  const more = await changesSince(service.storage, appId, seen);
  return new InnkeeperError('catalogChanged', { more, headers: { etag: `"${more.revision}"` } });
}
