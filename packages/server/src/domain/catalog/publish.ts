import type { DraftName, Storage, ValuePage, ValueRow } from '../../storage/port.ts';
import type { Service } from '../service.ts';
import { directlyOrInSlices, inSlices, mapSteps, type Steps } from '../slices.ts';
import { type Catalog, changedItems, readCatalog, withItems } from './catalog.ts';
import {
  type Affects,
  type CatalogChange,
  type ChangeDetail,
  type ChangeFact,
  describeFact,
  type FactKind,
} from './change.ts';
import { parseValues } from './check-value.ts';
import { type CatalogDefinition, definitionOf } from './definition.ts';
import type { OpenDraft } from './directory.ts';
import { refuseGrowth } from './growth.ts';
import { type CatalogPlan, planCatalog, planDraft } from './plan.ts';
import { sourcesLeft } from './text-states.ts';

export type CountedPlan = Omit<CatalogPlan, 'changes'> & { changes: CountedChange[]; breaking: CountedBreaking[] };
/** `selections`: for an existing key, how many saved selections the change affects. */
export type CountedChange = CatalogChange & { selections?: number };
export type CountedBreaking = { path: string; text: string; fact: ChangeFact; selections: number };

/**
 * The plan, with the number of saved selections that each change affects. Free text is compared with new values and
 * constraints only for callers who may see it (`mayMatch`): others could find out texts by trying, so they get the
 * number of all selections of the key.
 */
export async function planWithImpact(
  storage: Storage,
  appId: number,
  plan: CatalogPlan,
  { mayMatch = true }: { mayMatch?: boolean } = {},
): Promise<CountedPlan> {
  const changes: CountedChange[] = [];
  const breaking: CountedBreaking[] = [];
  for (let at = 0; at < plan.changes.length; at += AT_ONCE) {
    const planned = plan.changes.slice(at, at + AT_ONCE);
    const counted = await Promise.all(planned.map((change) => countImpact(storage, appId, change, mayMatch)));
    for (const [place, { selections, breakingDetails }] of counted.entries()) {
      const change = planned[place] as CatalogChange;
      changes.push(change.keyNo === undefined ? change : { ...change, selections });
      breaking.push(...breakingDetails);
    }
  }
  return { ...plan, changes, breaking };
}

/** Keys queried at the same time. */
const AT_ONCE = 50;

/** How many saved selections a change affects, and which of its details break some. */
async function countImpact(
  storage: Storage,
  appId: number,
  change: CatalogChange,
  mayMatch: boolean,
): Promise<{ selections: number; breakingDetails: CountedBreaking[] }> {
  const { kind, keyNo, path, details } = change;
  // All selections of the key, unless every detail concerns only certain ones.
  const ofAll = { isAffected: kind === 'restored', selections: 0 };
  const affected = details.map((detail) => {
    const { fact, breaking } = detail;
    return {
      fact,
      isBreaking: breaking !== undefined,
      ...breaking,
      affects: affectedBy(detail, mayMatch),
      selections: 0,
    };
  });
  if (keyNo !== undefined) {
    for await (const rows of savedValues(storage, appId, keyNo)) {
      await directlyOrInSlices(countAffected(rows, ofAll, affected));
    }
  }
  const breakingDetails = affected.filter(
    ({ isBreaking, selections, onlyWhenChosen }) => isBreaking && (selections > 0 || !onlyWhenChosen),
  );
  return {
    selections: ofAll.selections,
    breakingDetails: breakingDetails.map(({ fact, selections }) => ({
      path,
      text: describeFact(fact),
      fact,
      selections,
    })),
  };
}

function* countAffected(
  rows: readonly ValueRow[],
  ofAll: { isAffected: boolean; selections: number },
  details: readonly { isBreaking: boolean; affects: Affects; selections: number }[],
): Steps<void> {
  for (const { value, count } of rows) {
    const chosen = parseValues(value);
    let { isAffected } = ofAll;
    for (const each of details) {
      yield;
      // Others are only part of the total.
      if (isAffected && !each.isBreaking) continue;
      const affects = each.affects(chosen);
      if (typeof affects === 'boolean' ? !affects : !(yield* affects)) continue;
      each.selections += count;
      isAffected = true;
    }
    if (isAffected) ofAll.selections += count;
  }
}

/** Details about listed values or the number of values. All others may depend on the content of free text. */
const WITHOUT_FREE_TEXT: ReadonlySet<FactKind> = new Set([
  'min',
  'max',
  'valueRemoved',
  'valueRetired',
  'valueBack',
  'replacement',
  'text',
] satisfies FactKind[]);

function affectedBy({ fact: { what, value }, breaking }: ChangeDetail, mayMatch: boolean): Affects {
  if (!mayMatch && !WITHOUT_FREE_TEXT.has(what)) return () => true;
  if (breaking) return breaking.affects;
  return value === undefined ? () => true : (chosen) => chosen.includes(value);
}

export type PublishOutcome =
  | { outcome: 'published'; revision: number; plan: CountedPlan; catalog: Catalog; publishedAt: number }
  | { outcome: 'unchanged'; revision: number; plan: CountedPlan }
  | { outcome: 'breaking'; plan: CountedPlan }
  /** Someone else published meanwhile. */
  | { outcome: 'conflict'; revision: number }
  | { outcome: 'application-gone' };

export type PublishOptions = {
  author: string;
  now: number;
  allowBreaking: boolean;
  expectedRevision?: number;
  /** The catalog at `expectedRevision`, if the caller has it. */
  current?: Catalog;
  /** Stored with the revision. */
  note?: string;
  /** The draft to publish: it replaces the definition. */
  draft?: OpenDraft;
};

/** How often to retry when others publish at the same time. */
const TRIES = 5;

/**
 * Makes the catalog match the definition, in one atomic revision, based on `expectedRevision` or else on the current
 * one.
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
  const current = options.current ?? (await inSlices(readCatalog(await storage.catalogs.load(appId))));
  if (options.expectedRevision !== undefined && options.expectedRevision !== current.revision) {
    return { outcome: 'conflict', revision: current.revision };
  }
  const steps = options.draft ? planDraft(current, options.draft.catalog) : planCatalog(current, wanted);
  const planned = await inSlices(steps);
  await inSlices(refuseGrowth(current, planned.next));
  const plan = await planWithImpact(storage, appId, planned);
  const items = (await inSlices(changedItems(current, plan.next))).map(({ item }) => item);
  const languages = JSON.stringify(plan.next.languages);
  if (items.length === 0 && languages === JSON.stringify(current.languages)) {
    return { outcome: 'unchanged', revision: current.revision, plan };
  }
  if (plan.breaking.length > 0 && !options.allowBreaking) return { outcome: 'breaking', plan };

  const { revision } = plan.next;
  const { author, now: createdAt, draft, note } = options;
  // The affected selections are of no use later.
  const difference = await inSlices(writeDifference(plan.changes.map(({ selections: _, ...change }) => change)));
  const authors = draft?.authors ?? [author];
  const counts = { changes: plan.changes.length, breaking: plan.breaking.length > 0 };
  const sources = await inSlices(sourcesLeft(current, plan.next));
  const publication = { sources, appId, revision, createdAt, author, authors, difference, languages, items, ...counts };
  const outcome = await storage.catalogs.publish({
    ...publication,
    ...(note !== undefined && { note }),
    ...(draft && { draft: nameOf(draft) }),
  });
  if (outcome === 'published') {
    // As it will be read.
    const catalog = await inSlices(withItems(current, { languages: plan.next.languages, items }));
    return { outcome, revision, plan, catalog: { ...catalog, revision }, publishedAt: createdAt };
  }
  return outcome === 'conflict' ? { outcome, revision } : { outcome };
}

/** It is published even if this fails: every process sees it within a second, and this one sooner if it can. */
export async function showPublished(
  service: Pick<Service, 'catalogs' | 'refresh'>,
  appId: number,
  { catalog, publishedAt }: { catalog: Catalog; publishedAt: number },
): Promise<void> {
  await service.catalogs.keep(appId, catalog, publishedAt);
  await service.refresh().catch(() => {});
}

function nameOf({ draftId, version }: DraftName): DraftName {
  return { draftId, version };
}

/** Restores the catalog of a revision, as a new revision; items renamed since keep their UID. */
export async function restoreCatalog(
  storage: Storage,
  appId: number,
  revision: number,
  options: PublishOptions,
): Promise<PublishOutcome | { outcome: 'unknown-revision' }> {
  const stored = await storage.catalogs.loadAt(appId, revision);
  if (!stored) return { outcome: 'unknown-revision' };
  const catalog = await inSlices(readCatalog(stored));
  return publishCatalog(storage, appId, await inSlices(definitionOf(catalog)), options);
}

/** A change in readable form. */
export type ReadableChange = Omit<CountedChange, 'details' | 'keyNo'> & {
  details: string[];
  /** For each detail; missing in records from before there were facts. */
  facts?: ChangeFact[];
};

export function readableDifference(changes: readonly CountedChange[]): Steps<ReadableChange[]> {
  return mapSteps(changes, ({ details, keyNo: _, ...change }) => {
    const facts = details.map(({ fact }) => fact);
    return { ...change, details: facts.map(describeFact), facts };
  });
}

/** Maximum stored length of a difference: no one reads more, and a hundred are loaded at once. */
const MAX_KEPT = 50_000;

/** A difference as stored with a revision or an edit of a draft: JSON, cut off at the maximum. */
export function* writeDifference(changes: readonly CatalogChange[]): Steps<string> {
  const written: string[] = [];
  let length = 0;
  for (const change of changes) {
    const text = JSON.stringify((yield* readableDifference([change]))[0]);
    length += text.length;
    if (length > MAX_KEPT) break;
    written.push(text);
  }
  const more = changes.length - written.length;
  if (more > 0) {
    const rest: CatalogChange = {
      kind: 'changed',
      subject: 'group',
      path: 'groups',
      details: [{ fact: { what: 'moreChanges', more } }],
    };
    written.push(JSON.stringify((yield* readableDifference([rest]))[0]));
  }
  return `[${written.join()}]`;
}

/** What is saved for a key, in pages: it may be as many values as users. */
export async function* savedValues(storage: Storage, appId: number, keyNo: number): AsyncGenerator<ValueRow[]> {
  let after: string | null = null;
  do {
    const { rows, next }: ValuePage = await storage.selections.countByValue(appId, keyNo, after);
    yield rows;
    after = next;
  } while (after !== null);
}
