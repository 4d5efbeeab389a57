import type { Steps } from '../slices.ts';
import type { Catalog, Texts } from './catalog.ts';
import { defaultOf, stateOf, type TextStates } from './text-states.ts';
import { sourceText, translatable } from './translatable.ts';
import { tagFinder } from './working-copy.ts';

export type TextRow = {
  path: string;
  source: string;
  texts: Texts;
  /** Language tags, in each list. */
  missing: string[];
  outdated: string[];
  reviewed: string[];
};

/** Only texts in that state in the given language, by name or tag. */
export type TextFilter = { missing?: string; outdated?: string; unreviewed?: string; search?: string };

/** Every text of the catalog by its path, in order. `unknown`: the filter that names an unknown language. */
export function* listTexts(
  catalog: Catalog,
  states: TextStates,
  { search, ...filter }: TextFilter,
): Steps<TextRow[] | { unknown: string }> {
  const { languages } = catalog;
  const asked = new Map<string, string>();
  const findTag = tagFinder(languages);
  for (const [name, language] of Object.entries(filter)) {
    const tag = findTag(language);
    if (tag === undefined) return { unknown: name };
    asked.set(name, tag);
  }
  const [missingIn, outdatedIn, unreviewedIn] = ['missing', 'outdated', 'unreviewed'].map((name) => asked.get(name));
  const byDefault = defaultOf(catalog);
  const wanted = search?.toLowerCase();
  const rows: TextRow[] = [];
  for (const item of translatable(catalog)) {
    yield;
    if (missingIn !== undefined && item.texts[missingIn] !== undefined) continue;
    const texts = languages.flatMap((each) => {
      const text = item.texts[each.tag];
      return text === undefined ? [] : [[each.tag, text] as const];
    });
    const holds = (text: string) => wanted === undefined || text.toLowerCase().includes(wanted);
    if (!holds(item.path) && !texts.some(([, text]) => holds(text))) continue;
    const missing = languages.filter((each) => item.texts[each.tag] === undefined).map((each) => each.tag);
    const source = sourceText(item, byDefault);
    const [outdated, reviewed]: [string[], string[]] = [[], []];
    for (const [tag, text] of texts) {
      if (!byDefault || tag === byDefault.tag) continue;
      const state = stateOf(states, { path: item.path, tag, text }, { tag: byDefault.tag, source });
      if (state) (state === 'outdated' ? outdated : reviewed).push(tag);
    }
    if (outdatedIn !== undefined && !outdated.includes(outdatedIn)) continue;
    if (unreviewedIn !== undefined && (item.texts[unreviewedIn] === undefined || reviewed.includes(unreviewedIn)))
      continue;
    rows.push({ path: item.path, source, texts: Object.fromEntries(texts), missing, outdated, reviewed });
  }
  return rows;
}
