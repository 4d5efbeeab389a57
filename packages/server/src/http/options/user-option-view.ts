import type { Key, Language, Scalar } from '../../domain/catalog/catalog.ts';
import type { CompiledCatalog, PlacedKey } from '../../domain/catalog/compile.ts';
import { translationUid } from '../../domain/catalog/translation-uid.ts';
import { isOpenText } from '../../domain/selections/save-selections.ts';
import type { SelectionRecord } from '../../storage/port.ts';
import { formatTime } from '../time.ts';

type Owner = { clientId: string; userUid: string };

/**
 * The stored record of SPEC.md 2.4: `catalog` is the revision it was saved in, so it reads today as it
 * did then. One translation for each language of that moment, or the one language asked for.
 */
export function viewUserOption(
  catalog: CompiledCatalog,
  { key, group }: PlacedKey,
  record: SelectionRecord,
  { clientId, userUid }: Owner,
  only: Language | undefined,
) {
  const value = JSON.parse(record.value) as Scalar | Scalar[];
  return {
    user_options_uid: record.selectionId,
    app_id: clientId,
    user_uid: userUid,
    group: viewGroupOf(catalog, group, only),
    option: viewOption(catalog, key, value, record.language, only),
    created_at: formatTime(record.createdAt),
    updated_at: formatTime(record.updatedAt),
  };
}

/** With effective=true: what holds for a user who never chose. */
export function viewDefault(
  catalog: CompiledCatalog,
  { key, group }: PlacedKey,
  { clientId, userUid }: Owner,
  only: Language | undefined,
) {
  return {
    user_options_uid: null,
    app_id: clientId,
    user_uid: userUid,
    group: viewGroupOf(catalog, group, only),
    option: viewOption(
      catalog,
      key,
      key.defaultValue as Scalar | Scalar[],
      catalog.languages.byDefault?.tag ?? null,
      only,
    ),
    created_at: null,
    updated_at: null,
    is_default: true,
  };
}

function viewGroupOf({ languages }: CompiledCatalog, group: PlacedKey['group'], only: Language | undefined) {
  return {
    name: group.name,
    translations: languages.all.filter(isShown(only)).map((language) => ({
      option_group_translation_uid: translationUid(group.groupUid, language.tag),
      name: languages.textFor(group.texts, language, group.name).text,
      language: language.name,
    })),
  };
}

function viewOption(
  { languages }: CompiledCatalog,
  key: Key,
  value: Scalar | Scalar[],
  writtenIn: string | null,
  only: Language | undefined,
) {
  // An open text is stored for the language it was written in, and for that alone.
  const inLanguages = isOpenText(key) ? languages.all.filter(({ tag }) => tag === writtenIn) : languages.all;
  return {
    name: key.name,
    value,
    translations: inLanguages.filter(isShown(only)).map((language) => ({
      option_key_translation_uid: translationUid(key.keyUid, language.tag),
      language: language.name,
      name: languages.textFor(key.texts, language, key.name).text,
      value: Array.isArray(value) ? value.map((each) => translate(each, language)) : translate(value, language),
    })),
  };

  function translate(each: Scalar, language: Language): Scalar {
    if (key.type !== 'string') return each;
    const allowed = key.values?.find((candidate) => candidate.value === each);
    return allowed ? languages.textFor(allowed.texts, language, String(each)).text : each;
  }
}

function isShown(only: Language | undefined): (language: Language) => boolean {
  return ({ tag }) => only === undefined || tag === only.tag;
}
