import { type FieldError, InnkeeperError } from '../../errors.ts';
import { type Draft, findLanguage, toFileValue } from '../draft.ts';
import type { Edit } from '../edit-catalog.ts';
import { TEXT_LIMIT } from '../file-schema.ts';
import { textProblem } from '../read-definition.ts';
import { pathOf } from '../translatable.ts';

export type WantedText = { path: unknown; language: unknown; text: unknown };

/** Many texts at once, all or none; null takes one away. */
export function changeTexts(wanted: readonly WantedText[]): Edit {
  return (draft) => {
    const items = textHolders(draft);
    const problems: FieldError[] = [];
    const seen = new Set<string>();
    for (const [index, { path, language, text }] of wanted.entries()) {
      const refuse = (member: string, message: string) =>
        problems.push({ field: `texts[${index}].${member}`, message });
      const set = items.get(path);
      const tag = typeof language === 'string' ? findLanguage(draft.languages, language) : undefined;
      const problem = problemOf(text);
      if (!set) refuse('path', 'is not in the catalog');
      if (tag === undefined) refuse('language', 'is not a language of this application');
      if (problem !== undefined) refuse('text', problem);
      if (!set || tag === undefined || problem !== undefined) continue;
      const spot = `${tag} ${path}`;
      if (seen.has(spot)) refuse('path', 'is there twice in this language');
      seen.add(spot);
      set(tag, text as string | null);
    }
    if (problems.length > 0) throw new InnkeeperError('catalogInvalid', { fields: problems });
    return [];
  };
}

function problemOf(text: unknown): string | undefined {
  if (text === null) return undefined;
  if (typeof text !== 'string') return 'must be a text, or null to take it away';
  if (text.length > TEXT_LIMIT && [...text].length > TEXT_LIMIT) return `is longer than ${TEXT_LIMIT} characters`;
  return textProblem(text);
}

type SetText = (tag: string, text: string | null) => void;

/** How to set a text of everything that can have one, by its path. */
function textHolders(draft: Draft): Map<unknown, SetText> {
  const holders = new Map<unknown, SetText>();
  for (const { group, keys } of draft.groups) {
    holders.set(pathOf(group.name), setterOf(group));
    for (const { key } of keys) {
      holders.set(pathOf(group.name, key.name), setterOf(key));
      for (const [index, plain] of (key.values ?? []).entries()) {
        const value = toFileValue(plain);
        const set = setterOf(value);
        holders.set(pathOf(group.name, key.name, String(value.value)), (tag, text) => {
          (key.values as unknown[])[index] = value;
          set(tag, text);
        });
      }
    }
  }
  return holders;
}

function setterOf(holder: { translations?: Record<string, string> }): SetText {
  return (tag, text) => {
    const { [tag]: _, ...others } = holder.translations ?? {};
    holder.translations = text === null ? others : { ...others, [tag]: text };
  };
}
