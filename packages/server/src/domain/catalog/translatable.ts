import type { KeyDefinition, Language, Texts } from './catalog.ts';

/** Something that is shown to people, with the texts it has. */
export type Translatable = {
  /** `notifications`, `notifications/colour` or `notifications/colour=blue`. */
  path: string;
  /** What stands in for the text of the default language. */
  name: string;
  texts: Texts;
};

/** The name of a group, a key or a value in one line that any file can hold; never the same for two of them. */
export function pathOf(group: string, key?: string, value?: string): string {
  const names = [group, ...(key === undefined ? [] : [key])].map((name) => percentEncode(name, NAMES));
  const path = names.join('/');
  return value === undefined ? path : withValue(path, value);
}

function withValue(path: string, value: string): string {
  return `${path}=${percentEncode(value, VALUES)}`;
}

const NAMES = /[%/=\p{Cc}\ufffe\uffff]/gu;
/** A value comes last: nothing has to be told from it. */
const VALUES = /[%\p{Cc}\ufffe\uffff]/gu;

/** As in a URL. */
function percentEncode(text: string, characters: RegExp): string {
  return text.replace(characters, encodeURIComponent);
}

/** A catalog, or a definition of one, which has nothing archived. */
type Named = { name: string; texts: Texts; archived?: boolean };
type Parts = { groups: (Named & { keys: (Named & Pick<KeyDefinition, 'type' | 'values'>)[] })[] };

/** All that can have a text, in order, one at a time: a catalog has hundreds of thousands. The texts are those of the parts themselves. */
export function* named({ groups }: Parts): Iterable<Translatable & { speaksForItself: boolean }> {
  for (const group of groups) {
    if (group.archived) continue;
    yield { path: pathOf(group.name), name: group.name, texts: group.texts, speaksForItself: false };
    for (const key of group.keys) {
      if (key.archived) continue;
      const path = pathOf(group.name, key.name);
      yield { path, name: key.name, texts: key.texts, speaksForItself: false };
      for (const { value, texts } of key.values ?? []) {
        const name = String(value);
        yield { path: withValue(path, name), name, texts, speaksForItself: key.type !== 'string' };
      }
    }
  }
}

/** What wants a text. Values other than texts speak for themselves, unless they were given one. */
export function* translatable(parts: Parts): Iterable<Translatable> {
  for (const item of named(parts)) if (!item.speaksForItself || Object.keys(item.texts).length > 0) yield item;
}

/** What a translator translates from: the text of the default language, or the name. */
export function sourceText({ name, texts }: Translatable, byDefault: Language | undefined): string {
  return (byDefault && texts[byDefault.tag]) ?? name;
}
