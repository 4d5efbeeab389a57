import { hash } from 'node:crypto';
import type { TextSource, TextState } from '../../storage/port.ts';
import type { Steps } from '../slices.ts';
import type { Catalog, Language } from './catalog.ts';
import { sourceText, type Translatable, translatable } from './translatable.ts';

/**
 * Whether texts are up to date and reviewed (docs/decisions/0067). The stored hashes say which source a text was made
 * for: a changed text has another key, and a changed source another hash. So nothing has to be updated or undone.
 */
export type TextStates = ReadonlyMap<string, TextState>;

export function byText(states: readonly TextState[]): TextStates {
  return new Map(states.map((state) => [state.textKey, state]));
}

type Spot = { path: string; tag: string; text: string };

export function textKeyOf({ path, tag, text }: Spot): string {
  return shortHash(JSON.stringify([path, tag, text]));
}

/** Includes the language: making another language the default must not make texts outdated. */
export function sourceKeyOf(tag: string, source: string): string {
  return `${tag} ${shortHash(source)}`;
}

/** 132 bits: collisions between texts of an application do not happen. */
function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/** undefined: neither known to be outdated nor reviewed. */
export function stateOf(
  states: TextStates,
  spot: Spot,
  { tag, source }: { tag: string; source: string },
): 'outdated' | 'reviewed' | undefined {
  const state = states.size === 0 ? undefined : states.get(textKeyOf(spot));
  if (!state?.sourceKey.startsWith(`${tag} `)) return undefined;
  if (state.sourceKey !== sourceKeyOf(tag, source)) return 'outdated';
  return state.reviewed ? 'reviewed' : undefined;
}

/**
 * The former sources of texts that stay the same while their source changes. A name that stood in for the source does
 * not count.
 */
export function* sourcesLeft(before: Catalog, after: Catalog): Steps<TextSource[]> {
  const byDefault = after.languages.find(({ isDefault }) => isDefault);
  const others = after.languages.filter(({ isDefault }) => !isDefault);
  if (!byDefault || defaultOf(before)?.tag !== byDefault.tag || others.length === 0) return [];
  const { tag: from } = byDefault;
  const shared = new Set(before.groups);
  const changed = new Set(after.groups.filter((group) => !shared.has(group)).map(({ groupUid }) => groupUid));
  const olds = new Map<string, Translatable>();
  for (const item of translatable({ groups: before.groups.filter(({ groupUid }) => changed.has(groupUid)) })) {
    yield;
    if (item.texts[from] !== undefined) olds.set(item.path, item);
  }
  const sources: TextSource[] = [];
  for (const item of translatable({ groups: after.groups.filter(({ groupUid }) => changed.has(groupUid)) })) {
    yield;
    const old = olds.get(item.path);
    if (!old || sourceText(old, byDefault) === sourceText(item, byDefault)) continue;
    const sourceKey = sourceKeyOf(from, sourceText(old, byDefault));
    for (const { tag } of others) {
      const text = item.texts[tag];
      if (text === undefined || old.texts[tag] !== text) continue;
      sources.push({ textKey: textKeyOf({ path: item.path, tag, text }), sourceKey });
    }
  }
  return sources;
}

export function defaultOf({ languages }: Pick<Catalog, 'languages'>): Language | undefined {
  return languages.find(({ isDefault }) => isDefault);
}
