/** What the address of the room says: which texts are shown. */
export type TranslationsSearch = { search?: string; group?: string; missing?: string };

export function readTranslationsSearch(raw: Record<string, unknown>): TranslationsSearch {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const [search, group, missing] = [text(raw.search), text(raw.group), text(raw.missing)];
  return {
    ...(search !== undefined && { search }),
    ...(group !== undefined && { group }),
    ...(missing !== undefined && { missing }),
  };
}
