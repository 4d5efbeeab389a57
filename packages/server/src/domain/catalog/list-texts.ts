import type { Steps } from '../slices.ts';
import type { Catalog, Texts } from './catalog.ts';
import { sourceText, translatable } from './translatable.ts';
import { findLanguage } from './working-copy.ts';

export type TextRow = { path: string; source: string; texts: Texts; missing: string[] };

/** Every text of the catalog by its path, in order; undefined when there is no language to be missing a text in. */
export function* listTexts(
  catalog: Catalog,
  { missingIn, search }: { missingIn: string | undefined; search: string | undefined },
): Steps<TextRow[] | undefined> {
  const { languages } = catalog;
  const tag = missingIn === undefined ? undefined : findLanguage(languages, missingIn);
  if (missingIn !== undefined && tag === undefined) return undefined;
  const byDefault = languages.find(({ isDefault }) => isDefault);
  const wanted = search?.toLowerCase();
  const rows: TextRow[] = [];
  for (const item of translatable(catalog)) {
    yield;
    if (tag !== undefined && item.texts[tag] !== undefined) continue;
    const texts = languages.flatMap((each) => {
      const text = item.texts[each.tag];
      return text === undefined ? [] : [[each.tag, text] as const];
    });
    const holds = (text: string) => wanted === undefined || text.toLowerCase().includes(wanted);
    if (!holds(item.path) && !texts.some(([, text]) => holds(text))) continue;
    const missing = languages.filter((each) => item.texts[each.tag] === undefined).map((each) => each.tag);
    rows.push({ path: item.path, source: sourceText(item, byDefault), texts: Object.fromEntries(texts), missing });
  }
  return rows;
}
