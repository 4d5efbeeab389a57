import type { Catalog, Texts } from './catalog.ts';
import { listTranslatable, sourceText } from './translatable.ts';
import { findLanguage } from './working-copy.ts';

export type TextRow = { path: string; source: string; texts: Texts; missing: string[] };

/** Every text of the catalog by its path, in order; undefined when there is no language to be missing a text in. */
export function listTexts(
  catalog: Catalog,
  { missingIn, search }: { missingIn: string | undefined; search: string | undefined },
): TextRow[] | undefined {
  const { languages } = catalog;
  const tag = missingIn === undefined ? undefined : findLanguage(languages, missingIn);
  if (missingIn !== undefined && tag === undefined) return undefined;
  const byDefault = languages.find(({ isDefault }) => isDefault);
  const wanted = search?.toLowerCase();
  return listTranslatable(catalog)
    .map((item) => ({
      path: item.path,
      source: sourceText(item, byDefault),
      texts: Object.fromEntries(
        languages.flatMap((each) => (item.texts[each.tag] === undefined ? [] : [[each.tag, item.texts[each.tag]]])),
      ) as Texts,
      missing: languages.filter((each) => item.texts[each.tag] === undefined).map((each) => each.tag),
    }))
    .filter(({ missing }) => tag === undefined || missing.includes(tag))
    .filter(
      ({ path, texts }) =>
        wanted === undefined || [path, ...Object.values(texts)].some((text) => text.toLowerCase().includes(wanted)),
    );
}
