import { type FieldError, InnkeeperError } from '../../errors.ts';
import { type Draft, findLanguage, type OpenGroup, openGroup, toFileValue } from '../draft.ts';
import type { Edit } from '../edit-catalog.ts';
import { TEXT_LIMIT } from '../file-schema.ts';
import { textProblem } from '../read-definition.ts';
import { pathOf } from '../translatable.ts';

export type WantedText = { path: unknown; language: unknown; text: unknown };

/** Many texts at once, all or none; null takes one away. */
export function changeTexts(wanted: readonly WantedText[]): Edit {
  return (draft) => {
    const findHolder = textHolders(draft);
    const problems: FieldError[] = [];
    const seen = new Set<string>();
    for (const [index, { path, language, text }] of wanted.entries()) {
      const refuse = (member: string, message: string) =>
        problems.push({ field: `texts[${index}].${member}`, message });
      const set = typeof path === 'string' ? findHolder(path) : undefined;
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

/** How to set the text of what has a path. Only the groups that are asked for are opened. */
function textHolders(draft: Draft): (path: string) => SetText | undefined {
  const groups = new Map(
    draft.groups.map((group, index) => [pathOf('closed' in group ? group.closed.name : group.group.name), index]),
  );
  const holders = new Map<number, Map<string, SetText>>();
  return (path) => {
    // The path of a group is that of all in it, up to the first slash: in names it is written otherwise.
    const index = groups.get(path.split('/', 1)[0] as string);
    if (index === undefined) return undefined;
    const ofGroup = holders.get(index) ?? holdersOf(openGroup(draft, index));
    holders.set(index, ofGroup);
    return ofGroup.get(path);
  };
}

function holdersOf({ group, keys }: OpenGroup): Map<string, SetText> {
  const holders = new Map([[pathOf(group.name), setterOf(group)]]);
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
  return holders;
}

function setterOf(holder: { translations?: Record<string, string> }): SetText {
  return (tag, text) => {
    const { [tag]: _, ...others } = holder.translations ?? {};
    holder.translations = text === null ? others : { ...others, [tag]: text };
  };
}
