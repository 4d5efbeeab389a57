import type { Storage } from '../../storage/port.ts';
import { type Catalog, readCatalog, type Scalar, toItems } from './catalog.ts';
import { type CatalogDefinition, definitionOf } from './definition.ts';
import { type CatalogChange, type CatalogPlan, planCatalog } from './plan.ts';

export type CountedPlan = CatalogPlan & { breaking: CountedBreaking[] };
export type CountedBreaking = { path: string; text: string; selections: number };

/** The plan, with the number of saved selections that each breaking change touches. */
export async function planWithImpact(
  storage: Storage,
  appId: number,
  current: Catalog,
  wanted: CatalogDefinition,
): Promise<CountedPlan> {
  const plan = planCatalog(current, wanted);
  const counts = new Map<number, Promise<{ value: string; count: number }[]>>();
  const countsOf = (keyNo: number) => {
    const known = counts.get(keyNo) ?? storage.selections.countByValue(appId, keyNo);
    counts.set(keyNo, known);
    return known;
  };
  const breaking: CountedBreaking[] = [];
  for (const { path, details } of plan.changes) {
    for (const { text, breaking: touched } of details) {
      if (!touched) continue;
      const selections = (await countsOf(touched.keyNo))
        .filter(({ value }) => touched.touches([JSON.parse(value) as Scalar | Scalar[]].flat()))
        .reduce((sum, { count }) => sum + count, 0);
      if (selections > 0 || !touched.onlyWhenChosen) breaking.push({ path, text, selections });
    }
  }
  return { ...plan, breaking };
}

export type PublishOutcome =
  | { outcome: 'published'; revision: number; plan: CountedPlan }
  | { outcome: 'unchanged'; revision: number; plan: CountedPlan }
  | { outcome: 'breaking'; plan: CountedPlan }
  /** Somebody else published meanwhile. */
  | { outcome: 'conflict'; revision: number }
  | { outcome: 'application-gone' };

export type PublishOptions = { author: string; now: number; allowBreaking: boolean; expectedRevision?: number };

/** Others that publish meanwhile are waited out this often. */
const TRIES = 5;

/**
 * Makes the catalog what the definition wants, in one atomic revision: of the catalog as it was at
 * `expectedRevision`, or as it is by then.
 */
export async function publishCatalog(
  storage: Storage,
  appId: number,
  wanted: CatalogDefinition,
  options: PublishOptions,
): Promise<PublishOutcome> {
  let outcome = await publishOnce(storage, appId, wanted, options);
  for (let tries = 1; tries < TRIES; tries += 1) {
    if (outcome.outcome !== 'conflict' || options.expectedRevision !== undefined) break;
    outcome = await publishOnce(storage, appId, wanted, options);
  }
  return outcome;
}

async function publishOnce(
  storage: Storage,
  appId: number,
  wanted: CatalogDefinition,
  options: PublishOptions,
): Promise<PublishOutcome> {
  const stored = await storage.catalogs.load(appId);
  if (options.expectedRevision !== undefined && options.expectedRevision !== stored.revision) {
    return { outcome: 'conflict', revision: stored.revision };
  }
  const plan = await planWithImpact(storage, appId, readCatalog(stored), wanted);
  const known = new Map(stored.items.map((item) => [item.itemUid, item.document]));
  const items = toItems(plan.next).filter((item) => known.get(item.itemUid) !== item.document);
  const languages = JSON.stringify(plan.next.languages);
  if (items.length === 0 && languages === stored.languages) {
    return { outcome: 'unchanged', revision: stored.revision, plan };
  }
  if (plan.breaking.length > 0 && !options.allowBreaking) return { outcome: 'breaking', plan };

  const { revision } = plan.next;
  const { author, now: createdAt } = options;
  const difference = JSON.stringify(readableDifference(plan.changes));
  const outcome = await storage.catalogs.publish({ appId, revision, createdAt, author, difference, languages, items });
  if (outcome === 'published') return { outcome, revision, plan };
  return outcome === 'conflict' ? { outcome, revision } : { outcome };
}

/** Makes the catalog what it was at a revision, as a new revision; what was renamed since keeps its UID. */
export async function restoreCatalog(
  storage: Storage,
  appId: number,
  revision: number,
  options: PublishOptions,
): Promise<PublishOutcome | { outcome: 'unknown-revision' }> {
  const stored = await storage.catalogs.loadAt(appId, revision);
  if (!stored) return { outcome: 'unknown-revision' };
  return publishCatalog(storage, appId, definitionOf(readCatalog(stored)), options);
}

/** A change as people read it. Which selections it touched then is of no use later. */
export type ReadableChange = Omit<CatalogChange, 'details'> & { details: string[] };

export function readableDifference(changes: CatalogChange[]): ReadableChange[] {
  return changes.map(({ details, ...change }) => ({ ...change, details: details.map(({ text }) => text) }));
}
