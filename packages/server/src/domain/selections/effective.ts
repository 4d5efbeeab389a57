import type { SelectionRecord, UserRecord } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import type { Scalar } from '../catalog/catalog.ts';
import { type Matches, parseValue } from '../catalog/check-value.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';
import type { Service } from '../service.ts';
import { pauses } from '../slices.ts';
import { type UserClaims, userOfCredentials, userOfTokens } from '../users/identify-user.ts';
import { checkSelection, countMatching, MAX_STEPS_INLINE, matchOnThread, matchWithin } from './check-selection.ts';

/** What an application should act on for one key. */
export type EffectiveSelection = {
  placed: PlacedKey;
  source: 'saved' | 'default';
  /** The saved record; with the source `default`, its value is no longer allowed. */
  record: SelectionRecord | undefined;
};

/** Keys with a default that the user has not chosen. */
function defaultedKeys(catalog: CompiledCatalog, saved: readonly SelectionRecord[]): PlacedKey[] {
  const chosen = new Set(saved.map(({ keyNo }) => keyNo));
  return catalog.keys.filter(({ key }) => key.defaultValue !== null && !chosen.has(key.keyNo));
}

/**
 * A user's effective values today, in catalog order: what they saved, if the key still allows it, else the default.
 * Archived keys are omitted, and so are keys with neither.
 */
export async function effectiveSelections(
  service: Service,
  appId: number,
  catalog: CompiledCatalog,
  saved: readonly SelectionRecord[],
): Promise<EffectiveSelection[]> {
  const byKey = new Map(saved.map((record) => [record.keyNo, record]));
  const matches = await matchesFor(service, appId, catalog, saved);
  // A user may have chosen thousands of values in each of many keys.
  const pause = pauses();
  const effective: EffectiveSelection[] = [];
  for (const placed of catalog.keys) {
    const found = effectiveOf(catalog, placed, byKey.get(placed.key.keyNo), matches);
    if (found) effective.push(found);
    const paused = pause();
    if (paused) await paused;
  }
  return effective;
}

/** The same for one key; undefined: neither saved nor with a default. */
export async function effectiveSelection(
  service: Service,
  appId: number,
  catalog: CompiledCatalog,
  placed: PlacedKey,
  record: SelectionRecord | undefined,
): Promise<EffectiveSelection | undefined> {
  const matches = record && (await matchesFor(service, appId, catalog, [record]));
  return effectiveOf(catalog, placed, record, matches);
}

function effectiveOf(
  catalog: CompiledCatalog,
  placed: PlacedKey,
  record: SelectionRecord | undefined,
  matches: Matches | undefined,
): EffectiveSelection | undefined {
  if (record && isAllowed(catalog, placed, record, matches)) return { placed, source: 'saved', record };
  return placed.key.defaultValue === null ? undefined : { placed, source: 'default', record };
}

/**
 * Whether the key still allows what was saved. A user keeps a retired value; more text than can be matched counts as
 * allowed.
 */
export function isAllowed(
  catalog: CompiledCatalog,
  placed: PlacedKey,
  record: Pick<SelectionRecord, 'revision' | 'value'>,
  matches: Matches = matchWithin(MAX_STEPS_INLINE, true),
): boolean {
  const { key } = placed;
  // It was checked against this very revision.
  if (record.revision === catalog.revision) return true;
  const value = parseValue(record.value);
  if (Array.isArray(value) !== key.multiple) return false;
  const held = [value].flat();
  const circumstances = { languages: catalog.languages, language: undefined, held };
  return 'value' in checkSelection(key, held, { ...circumstances, matches });
}

/** Long texts of keys with patterns are matched on a worker thread; more than a request may match counts as allowed. */
async function matchesFor(
  service: Service,
  appId: number,
  catalog: CompiledCatalog,
  saved: readonly SelectionRecord[],
): Promise<Matches | undefined> {
  const texts = saved.flatMap(({ keyNo, revision, value }) => {
    const placed = catalog.keyByNo.get(keyNo);
    if (!placed || revision === catalog.revision || placed.key.constraint.pattern === undefined) return [];
    return [{ placed, values: [JSON.parse(value) as unknown].flat() }];
  });
  if (texts.length === 0 || countMatching(texts) <= MAX_STEPS_INLINE) return undefined;
  return matchOnThread(service, appId, texts).catch(() => () => true);
}

export type DescribedOption = {
  placed: PlacedKey;
  value: Scalar | Scalar[];
  /** undefined: the default applies, because the user never chose. */
  record: SelectionRecord | undefined;
};

/** What a user chose, even if the catalog no longer allows it, and the defaults otherwise, in catalog order. */
export async function describeOptions(
  service: Pick<Service, 'storage'>,
  catalog: CompiledCatalog,
  userId: string,
): Promise<DescribedOption[]> {
  const saved = await service.storage.selections.list(userId);
  const options: DescribedOption[] = saved.flatMap((record) => {
    const placed = catalog.keyByNo.get(record.keyNo);
    return placed ? [{ placed, record, value: parseValue(record.value) }] : [];
  });
  for (const placed of defaultedKeys(catalog, saved)) {
    options.push({ placed, record: undefined, value: placed.key.defaultValue as Scalar | Scalar[] });
  }
  const order = new Map(catalog.keys.map(({ key }, index) => [key.keyNo, index]));
  const place = ({ placed: { key } }: DescribedOption) => order.get(key.keyNo) ?? order.size + key.keyNo;
  return options.sort((a, b) => place(a) - place(b));
}

/** Identifies the reader and reads the user's selections, in one query. */
export async function readSelections(
  service: Service,
  application: Application,
  claims: UserClaims,
): Promise<{ user: UserRecord; selections: SelectionRecord[] }> {
  const { selections } = service.storage;
  const byToken = await userOfTokens(service, application, claims, (tokenId, now) =>
    selections.listOfToken(tokenId, now),
  );
  if (byToken) return { user: byToken, selections: byToken.selections };
  const user = await userOfCredentials(service, application, claims, (appId, userId) =>
    selections.listOfUser(appId, userId),
  );
  return { user, selections: user.selections };
}
