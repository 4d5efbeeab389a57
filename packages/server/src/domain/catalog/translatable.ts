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
  return names.join('/') + (value === undefined ? '' : `=${percentEncode(value, VALUES)}`);
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

/** All that can have a text, in order. The texts are those of the parts themselves. */
export function listNamed({ groups }: Parts): (Translatable & { speaksForItself: boolean })[] {
  return groups
    .filter((group) => !group.archived)
    .flatMap((group) => [
      { path: pathOf(group.name), name: group.name, texts: group.texts, speaksForItself: false },
      ...group.keys
        .filter((key) => !key.archived)
        .flatMap((key) => [
          { path: pathOf(group.name, key.name), name: key.name, texts: key.texts, speaksForItself: false },
          ...(key.values ?? []).map(({ value, texts }) => ({
            path: pathOf(group.name, key.name, String(value)),
            name: String(value),
            texts,
            speaksForItself: key.type !== 'string',
          })),
        ]),
    ]);
}

/** What wants a text. Values other than texts speak for themselves, unless they were given one. */
export function listTranslatable(parts: Parts): Translatable[] {
  return listNamed(parts).filter(({ texts, speaksForItself }) => !speaksForItself || Object.keys(texts).length > 0);
}

/** What a translator translates from: the text of the default language, or the name. */
export function sourceText({ name, texts }: Translatable, byDefault: Language | undefined): string {
  return (byDefault && texts[byDefault.tag]) ?? name;
}
