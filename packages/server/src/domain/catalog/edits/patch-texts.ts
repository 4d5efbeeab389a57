import { findLanguage, type WorkingCopy } from '../working-copy.ts';

/**
 * Texts with those of the patch in their place; null takes one away. Languages go by name or tag. What cannot be read
 * is handed on as it is: whoever checks the copy has the words for it.
 */
export function patchTexts(
  texts: Record<string, string> | undefined,
  patch: unknown,
  languages: WorkingCopy['languages'],
): Record<string, string> | undefined {
  if (patch === null) return undefined;
  if (typeof patch !== 'object' || Array.isArray(patch)) return patch as Record<string, string>;
  const patched: Record<string, string> = { ...texts };
  for (const [word, text] of Object.entries(patch)) {
    const tag = findLanguage(languages, word) ?? word;
    if (text === null) delete patched[tag];
    else patched[tag] = text;
  }
  return Object.keys(patched).length > 0 ? patched : undefined;
}
