import type { Application } from '../applications/application.ts';
import type { Scalar } from '../catalog/catalog.ts';
import { MAX_STEPS_INLINE, matchWithin } from '../selections/match-patterns.ts';
import type { Service } from '../service.ts';
import { findNamedKey } from './key-names.ts';
import { effectiveValue } from './match-conditions.ts';

/** A longer value is left out of the token: all of them must fit into a header. */
const MAX_CHARACTERS = 500;

type Options = Record<string, Record<string, Scalar | Scalar[]>>;

/** The effective values of the keys that the application wants in its tokens; keys without one are omitted. */
export async function readTokenOptions(
  { storage, catalogs }: Service,
  { appId, settings }: Application,
  userId: string,
): Promise<Options> {
  const catalog = await catalogs.get(appId);
  const saved = new Map((await storage.selections.list(userId)).map((record) => [record.keyNo, record]));
  const options = new Map<string, Map<string, Scalar | Scalar[]>>();
  const matches = matchWithin(MAX_STEPS_INLINE, true);
  for (const name of settings.tokenClaims) {
    const placed = findNamedKey(catalog, name);
    if (!placed || placed === 'ambiguous') continue;
    const record = saved.get(placed.key.keyNo);
    const value = effectiveValue(catalog, placed, record && [record.revision, record.value], matches);
    if (value === undefined || JSON.stringify(value).length > MAX_CHARACTERS) continue;
    const group = options.get(placed.group.name) ?? new Map<string, Scalar | Scalar[]>();
    options.set(placed.group.name, group.set(placed.key.name, value));
  }
  return Object.fromEntries([...options].map(([group, values]) => [group, Object.fromEntries(values)]));
}
