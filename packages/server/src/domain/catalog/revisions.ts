import type { RevisionRecord, Storage } from '../../storage/port.ts';
import { InnkeeperError } from '../errors.ts';
import { inSlices } from '../slices.ts';
import { type Catalog, readCatalog } from './catalog.ts';
import { definitionOf } from './definition.ts';
import { planCatalog } from './plan.ts';
import { type ReadableChange, readableDifference } from './publish.ts';

export type Revision = Omit<RevisionRecord, 'difference'> & { changes: ReadableChange[] };

export function readRevision({ difference, ...record }: RevisionRecord): Revision {
  return { ...record, changes: JSON.parse(difference) as ReadableChange[] };
}

/** The record of one revision, and its catalog. */
export async function getRevision(
  storage: Storage,
  appId: number,
  revision: number,
): Promise<{ record: Revision; catalog: Catalog }> {
  const stored = revision > 0 ? await storage.catalogs.loadAt(appId, revision) : undefined;
  if (!stored) throw new InnkeeperError('revisionNotFound');
  const { revision: newest } = await storage.drafts.look(appId);
  // Revisions are numbered without gaps, newest first. Read two, in case another was published meanwhile.
  const { items } = await storage.catalogs.revisions(appId, { offset: newest - revision, limit: 2 });
  const record = items.find((item) => item.revision === revision);
  if (!record) throw new InnkeeperError('revisionNotFound');
  return { record: readRevision(record), catalog: await inSlices(readCatalog(stored)) };
}

/** The changes from one revision to another. */
export async function compareRevisions(
  storage: Storage,
  appId: number,
  from: number,
  to: number,
): Promise<ReadableChange[]> {
  const [before, after] = [await catalogAt(storage, appId, from), await catalogAt(storage, appId, to)];
  const { changes } = await inSlices(planCatalog(before, await inSlices(definitionOf(after))));
  return inSlices(readableDifference(changes));
}

/** Revision 0 is the empty catalog that every application starts with. */
export async function catalogAt(storage: Storage, appId: number, revision: number): Promise<Catalog> {
  if (revision === 0) return { revision, languages: [], groups: [] };
  const stored = await storage.catalogs.loadAt(appId, revision);
  if (!stored) throw new InnkeeperError('revisionNotFound');
  return inSlices(readCatalog(stored));
}

/** As many as a person would read. */
const MAX_SHOWN = 50;

/** The newest revision, and what each one after `seen` changed, newest first. */
export async function changesSince(storage: Storage, appId: number, seen: number | undefined) {
  const { total, items } = await storage.catalogs.revisions(appId, { offset: 0, limit: MAX_SHOWN });
  const revision = items[0]?.revision ?? total;
  return {
    revision,
    revisions: seen === undefined ? [] : items.filter((item) => item.revision > seen).map(readRevision),
  };
}
