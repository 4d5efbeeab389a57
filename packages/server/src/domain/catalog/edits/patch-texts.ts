import { tagFinder, type WorkingCopy } from '../working-copy.ts';

/**
 * Applies a patch of texts; null removes one. Languages are given by name or tag. Invalid parts are passed on
 * unchanged: the check of the copy reports them.
 */
function patchTexts(
  texts: Record<string, string> | undefined,
  patch: unknown,
  languages: WorkingCopy['languages'],
): Record<string, string> | undefined {
  if (patch === null) return undefined;
  if (typeof patch !== 'object' || Array.isArray(patch)) return patch as Record<string, string>;
  const patched: Record<string, string> = { ...texts };
  const findTag = tagFinder(languages);
  for (const [word, text] of Object.entries(patch)) {
    const tag = findTag(word) ?? word;
    if (text === null) delete patched[tag];
    else patched[tag] = text;
  }
  return Object.keys(patched).length > 0 ? patched : undefined;
}

type Worded = { translations?: Record<string, string>; descriptions?: Record<string, string> };

/** An item with the texts and descriptions of a patch; what the patch does not name stays. */
export function patchAllTexts<T extends Worded>(
  item: T,
  patch: { translations?: unknown; descriptions?: unknown },
  languages: WorkingCopy['languages'],
): T {
  const patched = { ...item };
  for (const member of ['translations', 'descriptions'] as const) {
    if (patch[member] === undefined) continue;
    const texts = patchTexts(item[member], patch[member], languages);
    if (texts === undefined) delete patched[member];
    else patched[member] = texts;
  }
  return patched;
}
