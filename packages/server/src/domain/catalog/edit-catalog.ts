import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { readCatalog } from './catalog.ts';
import type { CatalogDefinition } from './definition.ts';
import { type Draft, draftOf, readDraft } from './draft.ts';
import { type CountedPlan, type PublishOutcome, publishCatalog, restoreCatalog } from './publish.ts';
import { changesSince } from './revisions.ts';

export type EditOptions = {
  author: string;
  allowBreaking: boolean;
  /** The revision that the editor has seen; undefined: whatever there is. */
  expectedRevision: number | undefined;
};

export type Edited = { revision: number; changed: boolean; plan: CountedPlan };

/** What an edit does to a draft. It answers where in the file that was, for whoever is told what is wrong there. */
export type Edit = (draft: Draft) => (string | number)[];

/** Makes the catalog what the definition wants, unless somebody else changed it meanwhile. */
export async function applyDefinition(
  service: Service,
  application: Application,
  definition: CatalogDefinition,
  options: EditOptions,
): Promise<Edited> {
  const published = await publishCatalog(service.storage, application.appId, definition, toOptions(service, options));
  return settle(service, application, published, options);
}

/** Publishes what the catalog was at a revision as a new one. */
export async function restoreRevision(
  service: Service,
  application: Application,
  revision: number,
  options: EditOptions,
): Promise<Edited> {
  const restored = await restoreCatalog(service.storage, application.appId, revision, toOptions(service, options));
  if (restored.outcome === 'unknown-revision') throw new InnkeeperError('revisionNotFound');
  return settle(service, application, restored, options);
}

/** Others that publish meanwhile are waited out this often, by whoever expects no certain revision. */
const TRIES = 5;

/** Changes one thing in the catalog as it is, and publishes that as one revision. */
export async function editCatalog(
  service: Service,
  application: Application,
  edit: Edit,
  options: EditOptions,
): Promise<Edited> {
  for (let tries = 1; ; tries++) {
    const catalog = readCatalog(await service.storage.catalogs.load(application.appId));
    // Before the edit: what it names may be gone, and then that is not what the editor should be told.
    if (options.expectedRevision !== undefined && options.expectedRevision !== catalog.revision) {
      throw await changedMeanwhile(service, application, options.expectedRevision);
    }
    const draft = draftOf(catalog);
    const base = edit(draft);
    const published = await publishCatalog(service.storage, application.appId, readDraft(draft, base), {
      ...toOptions(service, options),
      // What was changed is this revision: published over another, it would undo what that one did.
      expectedRevision: catalog.revision,
    });
    const again = published.outcome === 'conflict' && options.expectedRevision === undefined && tries < TRIES;
    if (!again) return settle(service, application, published, options);
  }
}

function toOptions(service: Service, { author, allowBreaking, expectedRevision }: EditOptions) {
  return { author, allowBreaking, now: service.now(), ...(expectedRevision !== undefined && { expectedRevision }) };
}

async function settle(
  service: Service,
  application: Application,
  published: PublishOutcome,
  options: EditOptions,
): Promise<Edited> {
  switch (published.outcome) {
    case 'published':
      // It is published, whatever comes: every process sees it within a second, this one sooner if it can.
      await service.refresh().catch(() => {});
      return { revision: published.revision, changed: true, plan: published.plan };
    case 'unchanged':
      return { revision: published.revision, changed: false, plan: published.plan };
    case 'breaking':
      throw new InnkeeperError('catalogBreaking', { more: { breaking: published.plan.breaking } });
    case 'conflict':
      throw await changedMeanwhile(service, application, options.expectedRevision);
    case 'application-gone':
      throw new InnkeeperError('applicationNotFound');
  }
}

/** For whoever must not overwrite it: what changed since the revision they have seen. */
async function changedMeanwhile(
  service: Service,
  { appId }: Application,
  seen: number | undefined,
): Promise<InnkeeperError> {
  const more = await changesSince(service.storage, appId, seen);
  return new InnkeeperError('catalogChanged', { more, headers: { etag: `"${more.revision}"` } });
}
