import type { Key, Language, Scalar } from '../../domain/catalog/catalog.ts';
import { findAllowed, parseValue } from '../../domain/catalog/check-value.ts';
import type { CompiledCatalog, PlacedKey } from '../../domain/catalog/compile.ts';
import { translationUid } from '../../domain/catalog/translatable.ts';
import { holdTexts, isOpenText, type OpenTexts, textsOf } from '../../domain/selections/open-texts.ts';
import { recordTag } from '../../domain/selections/save-selections.ts';
import { directlyOrInSlices, type Steps } from '../../domain/slices.ts';
import type { SelectionRecord } from '../../storage/port.ts';
import { formatTime } from '../../time.ts';
import { etagOf } from '../request-headers.ts';
import { toWireBytes } from '../server/request-and-reply.ts';
import type { Wording, Written } from './responses.ts';

/** A key as of the revision that a record was saved in. */
export type PlacedThen = { catalog: CompiledCatalog; placed: PlacedKey };

/** What the records of one response have in common. */
export type RecordView = {
  /** The current catalog, for labels in the language of the wording. */
  today: CompiledCatalog;
  wording: Wording;
  /** Members `app_id` and `user_uid`, written once, as wire text (WireText). */
  owner: string;
  /** `group` of the records, by revision and group, then and now: most records share a few. */
  groups: Map<string, string>;
};

export function recordView(
  today: CompiledCatalog,
  wording: Wording,
  { clientId, userId }: { clientId: string; userId: string },
): RecordView {
  return { today, wording, owner: toWireBytes(`"app_id":"${clientId}","user_uid":"${userId}",`), groups: new Map() };
}

type Choice = Pick<SelectionRecord, 'value' | 'language' | 'texts'>;

/**
 * The stored record as JSON. Names and translations come from the revision it was saved in (`then`), so
 * it still reads as it did. It has one translation per language of that revision, or only the requested one. Labels are
 * current.
 */
export function* writeUserOption(
  view: RecordView,
  then: PlacedThen,
  record: SelectionRecord,
  source?: 'saved',
): Steps<Written> {
  return enclose(
    `{"user_options_uid":"${record.selectionId}",${view.owner}`,
    yield* writeChoice(view, then, record),
    `${writeState(record)}${source ? ',"source":"saved"' : ''}}`,
  );
}

/** With effective=true: the value for a user who never chose, or whose choice is no longer allowed. */
export function* writeDefault(
  view: RecordView,
  placed: PlacedKey,
  record: SelectionRecord | undefined,
): Steps<Written> {
  const { today, owner } = view;
  const uid = record ? `"${record.selectionId}"` : 'null';
  const state = record
    ? `${writeState(record)},"saved_value":${toWireBytes(record.value)}`
    : ',"created_at":null,"updated_at":null,"etag":null';
  return enclose(
    `{"user_options_uid":${uid},${owner}`,
    yield* writeChoice(view, { catalog: today, placed }, defaultChoice(today, placed.key)),
    `${state},"is_default":true,"source":"default"}`,
  );
}

/** The same as an object, for combining with more. */
export async function viewUserOption(view: RecordView, then: PlacedThen, record: SelectionRecord): Promise<object> {
  const { bytes } = await directlyOrInSlices(writeUserOption(view, then, record));
  return JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8')) as object;
}

function defaultChoice({ languages }: CompiledCatalog, key: Key): Choice {
  const tag = languages.byDefault?.tag;
  if (isOpenText(key) && tag !== undefined) return holdTexts({ [tag]: key.defaultValue as string }, tag, languages);
  return { value: JSON.stringify(key.defaultValue), language: null, texts: null };
}

function writeState(record: SelectionRecord): string {
  const { createdAt, updatedAt } = record;
  const etag = `\\"${recordTag(record)}\\"`;
  return `,"created_at":"${formatTime(createdAt)}","updated_at":"${formatTime(updatedAt)}","etag":"${etag}"`;
}

/** Maximum characters of all cached choices of a revision; beyond it, the cache is cleared. */
const KEPT_CHARACTERS = 1024 * 1024;
type Choices = { ofKeys: Map<Key, Map<string, Written>>; characters: number };

/** By current catalog. */
const choices = new WeakMap<CompiledCatalog, Choices>();

/** Members from `option_group_uid` to `option`: equal for everyone who chose the same, so they are written once. */
function* writeChoice(view: RecordView, then: PlacedThen, choice: Choice): Steps<Written> {
  const { key, group } = then.placed;
  const write = function* (): Steps<string> {
    const uids = `"option_group_uid":"${group.groupUid}","option_key_uid":"${key.keyUid}"`;
    const option = yield* writeOption(view, then, choice);
    return toWireBytes(`${uids},"group":${writeGroupOf(view, then)},"option":${option}`);
  };
  // Free text rarely repeats.
  if (key.values === null && key.type !== 'boolean') {
    const bytes = yield* write();
    return { bytes, mark: bytes };
  }
  const { today, wording } = view;
  let kept = choices.get(today);
  if (!kept || kept.characters > KEPT_CHARACTERS) {
    kept = { ofKeys: new Map(), characters: 0 };
    choices.set(today, kept);
  }
  let ofKey = kept.ofKeys.get(key);
  if (!ofKey) {
    ofKey = new Map();
    kept.ofKeys.set(key, ofKey);
  }
  // JSON never looks like a tag followed by more, so the common case, the default language, needs no key to be built.
  const { language, only } = wording;
  const isUsual = !only && language === today.languages.byDefault;
  const name = isUsual ? choice.value : `${language?.tag}${only ? '!' : ''} ${choice.value}`;
  const known = ofKey.get(name);
  if (known) return known;
  const bytes = yield* write();
  const written = { bytes, mark: etagOf(bytes) };
  // It would only push out all others.
  if (bytes.length > KEPT_CHARACTERS) return written;
  ofKey.set(name, written);
  kept.characters += name.length + bytes.length;
  return written;
}

function writeGroupOf({ today, wording, groups }: RecordView, { catalog, placed: { key, group } }: PlacedThen): string {
  const current = today.keyByNo.get(key.keyNo)?.group ?? group;
  const name = `${catalog.revision} ${group.groupUid} ${current.groupUid}`;
  const known = groups.get(name);
  if (known !== undefined) return known;
  const { languages } = catalog;
  const label = today.languages.textFor(current.texts, wording.language, current.name);
  const written = JSON.stringify({
    name: group.name,
    label: label.text,
    label_language: label.language,
    translations: languages.all.filter(isShown(wording)).map((language) => ({
      option_group_translation_uid: translationUid(group.groupUid, language.tag),
      name: languages.textFor(group.texts, language, group.name).text,
      language: language.name,
    })),
  });
  groups.set(name, written);
  return written;
}

/** As JSON, a language at a time: there may be 200 languages and 2,000 values. */
function* writeOption(
  { today, wording }: RecordView,
  { catalog: { languages }, placed: { key } }: PlacedThen,
  choice: Choice,
): Steps<string> {
  const current = today.keyByNo.get(key.keyNo)?.key ?? key;
  const label = today.languages.textFor(current.texts, wording.language, current.name);
  const value = parseValue(choice.value);
  const texts = textsOf(choice);
  const translations: string[] = [];
  for (const language of languages.all.filter(isShown(wording))) {
    // Most catalogs have few languages.
    if (translations.length > 0) yield;
    const translation = {
      option_key_translation_uid: translationUid(key.keyUid, language.tag),
      language: language.name,
      name: languages.textFor(key.texts, language, key.name).text,
      value: isOpenText(key) ? openText(texts, language) : each(value, (one) => translate(one, language)),
    };
    translations.push(JSON.stringify(translation));
  }
  const option = {
    name: key.name,
    label: label.text,
    label_language: label.language,
    value,
    value_label: labelOf(value),
  };
  return `${JSON.stringify(option).slice(0, -1)},"translations":[${translations.join()}]}`;

  function openText(of: OpenTexts, language: Language | undefined) {
    return languages.textFor<Scalar | Scalar[]>(of, language, value).text;
  }

  function translate(one: Scalar, language: Language): Scalar {
    if (key.type !== 'string') return one;
    const allowed = findAllowed(key.values, one);
    return allowed ? languages.textFor(allowed.texts, language, String(one)).text : one;
  }

  /** A value that was removed from the key keeps the text of the revision it was saved in. */
  function labelOf(of: Scalar | Scalar[]): string | string[] {
    if (isOpenText(key)) {
      return today.languages.textFor<Scalar | Scalar[]>(texts, wording.language, of).text as string | string[];
    }
    return each(of, (one) => {
      const found = findAllowed(current.values, one) ?? findAllowed(key.values, one);
      return found ? today.languages.textFor(found.texts, wording.language, String(one)).text : String(one);
    });
  }
}

function each<From, To>(value: From | From[], to: (one: From) => To): To | To[] {
  return Array.isArray(value) ? value.map(to) : to(value);
}

function isShown({ language, only }: Wording): (each: Language) => boolean {
  return ({ tag }) => !only || tag === language?.tag;
}

export function enclose(before: string, { bytes, mark }: Written, after: string): Written {
  return { bytes: before + bytes + after, mark: before + mark + after };
}

/** Joined by commas. */
export function joinWritten(parts: readonly Written[]): Written {
  let bytes = '';
  let mark = '';
  for (const part of parts) {
    const comma = bytes === '' ? '' : ',';
    bytes += comma + part.bytes;
    mark += comma + part.mark;
  }
  return { bytes, mark };
}
