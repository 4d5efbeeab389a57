import type { AllowedValue, Group, GroupDefinition, Key, Language, Texts } from '../../domain/catalog/catalog.ts';
import type { CompiledCatalog, PlacedKey } from '../../domain/catalog/compile.ts';
import type { Languages } from '../../domain/catalog/languages.ts';
import { translationUid } from '../../domain/catalog/translatable.ts';

/** The language of labels, and whether translations are limited to it. */
export type Wording = { language: Language | undefined; only: boolean };

/** A group as the API returns it. */
export function viewGroup({ languages }: CompiledCatalog, group: Group, position: number, wording: Wording) {
  const label = languages.textFor(group.texts, wording.language, group.name);
  return {
    option_group_uid: group.groupUid,
    name: group.name,
    label: label.text,
    label_language: label.language,
    ...viewDescription(languages, group, wording),
    position,
    translations: describedIn(languages, group, wording).map(({ language, ...texts }) => ({
      option_group_translation_uid: translationUid(group.groupUid, language.tag),
      ...texts,
      language: language.name,
    })),
  };
}

/** A key as the API returns it: with allowed_values, or with constraint if it is open. */
export function viewKey(catalog: CompiledCatalog, { key, group, position }: PlacedKey, wording: Wording) {
  const { languages } = catalog;
  const label = languages.textFor(key.texts, wording.language, key.name);
  return {
    option_key_uid: key.keyUid,
    option_group_uid: group.groupUid,
    option_group_name: group.name,
    name: key.name,
    label: label.text,
    label_language: label.language,
    ...viewDescription(languages, key, wording),
    position,
    value_type: key.type,
    multiple: key.multiple,
    min_selected: key.minSelected,
    max_selected: key.maxSelected,
    default_value: key.defaultValue,
    ...(key.values
      ? { allowed_values: key.values.map((value) => viewValue(catalog, value, wording)) }
      : { constraint: viewConstraint(key) }),
    archived: key.archived,
    translations: describedIn(languages, key, wording).map(({ language, ...texts }) => ({
      option_key_translation_uid: translationUid(key.keyUid, language.tag),
      language: language.name,
      ...texts,
    })),
  };
}

function viewValue({ languages }: CompiledCatalog, value: AllowedValue, wording: Wording) {
  return {
    value: value.value,
    label: languages.textFor(value.texts, wording.language, String(value.value)).text,
    translations: translated(languages.all, value.texts, wording).map(({ text, language }) => ({
      language: language.name,
      value: text,
    })),
    retired: value.retired,
    ...(value.replacement !== undefined && { replacement: value.replacement }),
  };
}

function viewConstraint({ constraint }: Key) {
  const { min, max, step, pattern, maxLength } = constraint;
  return {
    min: min ?? null,
    max: max ?? null,
    step: step ?? null,
    pattern: pattern ?? null,
    max_length: maxLength ?? null,
  };
}

/** Falls back like the label; null if there is none at all. */
function viewDescription(languages: Languages, { descriptions }: GroupDefinition, { language }: Wording) {
  const { text, language: writtenIn } = languages.textFor(descriptions, language, '');
  return { description: writtenIn === null ? null : text, description_language: writtenIn };
}

/** Languages with a name or a description; a missing name is filled in like a label. */
function describedIn(languages: Languages, { name, texts, descriptions }: GroupDefinition, wording: Wording) {
  return translated(languages.all, { ...descriptions, ...texts }, wording).map(({ language }) => ({
    name: languages.textFor(texts, language, name).text,
    description: descriptions[language.tag] ?? null,
    language,
  }));
}

/** The existing texts: all of them, or only the requested language. */
function translated(languages: readonly Language[], texts: Texts, { language, only }: Wording) {
  return languages
    .filter((each) => !only || each.tag === language?.tag)
    .flatMap((each) => {
      const text = texts[each.tag];
      return text === undefined ? [] : [{ language: each, text }];
    });
}
