import type { Key, Language, Scalar } from '../../domain/catalog/catalog.ts';
import type { CompiledCatalog, PlacedKey } from '../../domain/catalog/compile.ts';
import { translationUid } from '../../domain/catalog/translation-uid.ts';
import { isOpenText } from '../../domain/selections/save-selections.ts';
import type { SelectionRecord } from '../../storage/port.ts';
import { etagOf } from '../etag.ts';
import { toWireBytes } from '../server/wire-text.ts';
import { formatTime } from '../time.ts';
import { enclose, type Written } from './written.ts';

/** Members `app_id` and `user_uid`, the same in every record of an answer: made once, and in one piece (as wire-text.ts makes it). */
export function writeOwner(clientId: string, userUid: string): string {
  return toWireBytes(`"app_id":"${clientId}","user_uid":"${userUid}",`);
}

/**
 * The stored record of SPEC.md 2.4 as JSON: `catalog` is the revision it was saved in, so it reads today as it did then.
 * One translation for each language of that moment, or the one language asked for.
 */
export function writeUserOption(
  catalog: CompiledCatalog,
  placed: PlacedKey,
  { selectionId, value, language, createdAt, updatedAt }: SelectionRecord,
  owner: string,
  only: Language | undefined,
): Written {
  return enclose(
    `{"user_options_uid":"${selectionId}",${owner}`,
    writeChoice(catalog, placed, value, language, only),
    `,"created_at":"${formatTime(createdAt)}","updated_at":"${formatTime(updatedAt)}"}`,
  );
}

/** With effective=true: what holds for a user who never chose. */
export function writeDefault(
  catalog: CompiledCatalog,
  placed: PlacedKey,
  owner: string,
  only: Language | undefined,
): Written {
  const value = JSON.stringify(placed.key.defaultValue);
  const writtenIn = catalog.languages.byDefault?.tag ?? null;
  return enclose(
    `{"user_options_uid":null,${owner}`,
    writeChoice(catalog, placed, value, writtenIn, only),
    ',"created_at":null,"updated_at":null,"is_default":true}',
  );
}

/** Characters that choices of one revision may take up together; beyond it, all are made anew. */
const KEPT_CHARACTERS = 1024 * 1024;
type Choices = { ofKeys: Map<Key, Map<string, Written>>; characters: number };

const choices = new WeakMap<CompiledCatalog, Choices>();

/** Members `group` and `option`: the same for everybody who chose the same, so they are put together once. */
function writeChoice(
  catalog: CompiledCatalog,
  { key, group }: PlacedKey,
  value: string,
  writtenIn: string | null,
  only: Language | undefined,
): Written {
  const write = (): string => {
    const option = viewOption(catalog, key, JSON.parse(value) as Scalar | Scalar[], writtenIn, only);
    return toWireBytes(
      `"group":${JSON.stringify(viewGroupOf(catalog, group, only))},"option":${JSON.stringify(option)}`,
    );
  };
  // What people may write freely is seldom the same.
  if (key.values === null && key.type !== 'boolean') {
    const bytes = write();
    return { bytes, mark: bytes };
  }
  let kept = choices.get(catalog);
  if (!kept || kept.characters > KEPT_CHARACTERS) {
    kept = { ofKeys: new Map(), characters: 0 };
    choices.set(catalog, kept);
  }
  let ofKey = kept.ofKeys.get(key);
  if (!ofKey) {
    ofKey = new Map();
    kept.ofKeys.set(key, ofKey);
  }
  // No JSON reads like a tag and more: in most answers, which are in all languages, no name is put together.
  const name = only ? `${only.tag} ${value}` : value;
  const known = ofKey.get(name);
  if (known) return known;
  const bytes = write();
  const choice = { bytes, mark: etagOf(bytes) };
  ofKey.set(name, choice);
  kept.characters += name.length + bytes.length;
  return choice;
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
