import { randomUUIDv7 } from 'node:crypto';
import { inNfc } from '../../nfc.ts';
import type { ImportEntry, ImportSelection } from '../../storage/port.ts';
import { readTransferTime } from '../../time.ts';
import { homeOfName, readUuid as readUuidText, uuidAtHome } from '../../uuid.ts';
import type { Language, Scalar } from '../catalog/catalog.ts';
import type { Matches } from '../catalog/check-value.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';
import { ERRORS, type ErrorName } from '../errors.ts';
import { missingReason } from '../required.ts';
import { checkSelection, matchWithin } from '../selections/check-selection.ts';
import { holdTexts, isOpenText, type OpenText, type OpenTexts } from '../selections/open-texts.ts';
import { findAmbiguity, findExcess, isObject, MAX_DEPTH } from '../strict-json.ts';
import { createKeyNames, type KeyNames } from './key-names.ts';
import { isStatus } from './users.ts';

/** A line of the file, or why it could not even be read. */
export type FileLine = { line: number } & ({ text: string } | { unreadable: 'too long' | 'not UTF-8' });

/** Why a line was refused, with the code that the service would return. */
export class LineRefused extends Error {
  override name = 'LineRefused';
  readonly error: ErrorName;
  readonly field: string | null;
  /** The user of the line, as far as it could be read. */
  clientUserId: string | null = null;
  /** A user who already has the value may keep it: the caller must check whether this one does. */
  readonly unlessHeld: boolean;

  constructor(error: ErrorName, field: string | null, reason: string, unlessHeld = false) {
    super(field === null ? reason : `${field} ${reason}`);
    this.error = error;
    this.field = field;
    this.unlessHeld = unlessHeld;
  }

  get code(): string {
    return ERRORS[this.error].code;
  }
}

export type LineRules = {
  appId: number;
  at: number;
  /** Ignore the code in a line and create a new one. */
  newCodes: boolean;
  /** Accept retired values and archived keys too, because an export may contain them. */
  withRetired: boolean;
};

/** The selections of a line's user, by key number. */
export type Held = ReadonlyMap<number, readonly Scalar[]>;

export const MAX_LINE_BYTES = 1024 * 1024;
/** Shorter lines cannot contain too much for the parser. */
const SHORT = 2_048;
const MAX_OPTIONS = 500;
/** Clocks of two machines differ. */
const FUTURE_MS = 5 * 60_000;

const USER_MEMBERS = new Set([
  'clientUserId',
  'clientUserName',
  'service_user_code',
  'status',
  'created_at',
  'updated_at',
  'options',
  'profileOnly',
]);
const OPTION_MEMBERS = new Set([
  'group',
  'key',
  'option_key_uid',
  'value',
  'language',
  'texts',
  'user_options_uid',
  'created_at',
  'updated_at',
]);

export type LineReader = (line: FileLine, held?: Held) => ImportEntry;

/** Reads lines of docs/import.md against one catalog. Throws LineRefused for an invalid line. */
export function createLineReader(catalog: CompiledCatalog, rules: LineRules): LineReader {
  const findKey = createKeyFinder(catalog, rules.withRetired);
  return (line, held) => {
    const given = parseLine(line);
    try {
      const matches = matchWithin(MAX_STEPS_OF_LINE, undefined);
      return readUser(given, { catalog, rules, findKey, held, matches });
    } catch (error) {
      if (error instanceof LineRefused && typeof given.clientUserId === 'string') {
        error.clientUserId = given.clientUserId;
      }
      throw error;
    }
  };
}

type Members = Record<string, unknown>;
type Reading = {
  catalog: CompiledCatalog;
  rules: LineRules;
  findKey: KeyFinder;
  held: Held | undefined;
  matches: Matches;
};

/** Pattern matching per line: 50 to 100 ms. */
const MAX_STEPS_OF_LINE = 2_000_000;

function parseLine(line: FileLine): Members {
  if ('unreadable' in line) {
    if (line.unreadable === 'not UTF-8') throw new LineRefused('bodyNotJson', null, 'The line is not UTF-8.');
    throw tooLong();
  }
  const { text } = line;
  if (text.length > SHORT) refuseExcess(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new LineRefused('bodyNotJson', null, 'The line is not JSON.');
  }
  if (!isObject(value)) throw new LineRefused('bodyNotJson', null, 'The line is not a JSON object.');
  // If it serializes to the same text, no member is repeated.
  const problem = JSON.stringify(value) === text ? undefined : findAmbiguity(text);
  if (problem) throw new LineRefused('bodyNotJson', null, `The line cannot be imported: ${problem}.`);
  return value;
}

function tooLong(): LineRefused {
  return new LineRefused('bodyTooLarge', null, 'The line is longer than 1 MiB.');
}

/** Before it is parsed: a service does that on the HTTP thread. */
function refuseExcess(text: string): void {
  if (Buffer.byteLength(text) > MAX_LINE_BYTES) throw tooLong();
  const excess = findExcess(text, MAX_DEPTH);
  if (excess) throw new LineRefused('bodyNotJson', null, `The line cannot be imported: it ${excess.message}.`);
}

function readUser(given: Members, reading: Reading): ImportEntry {
  const { rules } = reading;
  const clientUserId = readName(given, 'clientUserId', 'clientUserIdMissing');
  const clientUserName = readName(given, 'clientUserName', 'clientUserNameMissing');
  refuseUnknown(given, USER_MEMBERS, '');
  const alone = given.profileOnly ?? false;
  if (typeof alone !== 'boolean') throw new LineRefused('badParameter', 'profileOnly', 'must be true or false');
  const code = readUuid(given, 'service_user_code', '');
  const createdAt = readTime(given, 'created_at', '', rules);
  const updatedAt = readTime(given, 'updated_at', '', rules);
  const status = given.status ?? undefined;
  if (status !== undefined && !isStatus(status)) {
    throw new LineRefused('badParameter', 'status', 'must be "active" or "suspended"');
  }
  const options = given.options ?? [];
  if (!Array.isArray(options)) throw new LineRefused('badParameter', 'options', 'must be an array');
  if (options.length > MAX_OPTIONS) {
    throw new LineRefused('badParameter', 'options', `must contain at most ${MAX_OPTIONS}`);
  }
  if (alone && (createdAt !== undefined || options.length > 0 || status !== undefined)) {
    const field = options.length > 0 ? 'options' : status === undefined ? 'created_at' : 'status';
    throw new LineRefused('badParameter', field, 'belongs to a user, and with profileOnly there is none');
  }
  return {
    clientUserId,
    clientUserName,
    userId: rules.newCodes ? null : (code ?? null),
    newUserId: uuidAtHome(homeOfName(rules.appId, clientUserId)),
    createdAt: alone ? null : (createdAt ?? rules.at),
    ...(status !== undefined && { status }),
    ...(updatedAt !== undefined && { updatedAt }),
    selections: readOptions(options, reading),
  };
}

function readOptions(options: readonly unknown[], reading: Reading): ImportSelection[] {
  const selections: ImportSelection[] = [];
  for (const [index, option] of options.entries()) {
    const field = `options[${index}]`;
    if (!isObject(option)) throw new LineRefused('badParameter', field, 'must be an object');
    const selection = readOption(option, `${field}.`, reading);
    for (const { keyNo, selectionId } of selections) {
      if (keyNo === selection.keyNo) throw new LineRefused('badParameter', `${field}.key`, 'is a duplicate');
      if (selectionId === selection.selectionId) {
        throw new LineRefused('badParameter', `${field}.user_options_uid`, 'is a duplicate');
      }
    }
    selections.push(selection);
  }
  return selections;
}

function readOption(option: Members, at: string, reading: Reading): ImportSelection {
  const { catalog, rules, findKey } = reading;
  refuseUnknown(option, OPTION_MEMBERS, at);
  const { key } = findKey(option, at);
  const language = readLanguage(option, at, catalog);
  const createdAt = readTime(option, 'created_at', at, rules);
  const updatedAt = readTime(option, 'updated_at', at, rules);
  if (createdAt !== undefined && updatedAt !== undefined && updatedAt < createdAt) {
    throw new LineRefused('badParameter', `${at}updated_at`, 'is before created_at');
  }
  const uid = readUuid(option, 'user_options_uid', at);
  return {
    selectionId: rules.newCodes || uid === undefined ? randomUUIDv7() : uid,
    keyNo: key.keyNo,
    revision: catalog.revision,
    ...readTexts(option, at, key, language, reading),
    createdAt: createdAt ?? updatedAt ?? rules.at,
    updatedAt: updatedAt ?? createdAt ?? rules.at,
  };
}

/** The value; for free text, with its language and the texts in others. */
function readTexts(
  option: Members,
  at: string,
  key: PlacedKey['key'],
  language: Language | undefined,
  reading: Reading,
): Pick<ImportSelection, 'value' | 'language' | 'texts'> {
  const { languages } = reading.catalog;
  const value = readValue(option.value, `${at}value`, key, language, reading);
  const texts = option.texts ?? null;
  if (texts !== null && !isObject(texts)) throw new LineRefused('badParameter', `${at}texts`, 'must be an object');
  if (!isOpenText(key)) {
    if (texts !== null) throw new LineRefused('badParameter', `${at}texts`, 'belongs to an open key of texts');
    return { value, language: null, texts: null };
  }
  const tag = (language ?? languages.byDefault)?.tag;
  if (tag === undefined || texts === null) return { value, language: tag ?? null, texts: null };
  const all: OpenTexts = { [tag]: JSON.parse(value) as OpenText };
  for (const [name, text] of Object.entries(texts)) {
    const field = `${at}texts.${name.slice(0, 64)}`;
    const found = languages.find(name);
    if (!found) throw new LineRefused('languageUnknown', field, 'is no language of this application');
    if (all[found.tag] !== undefined) throw new LineRefused('badParameter', field, 'is a duplicate');
    all[found.tag] = JSON.parse(readValue(text, field, key, found, reading)) as OpenText;
  }
  return holdTexts(all, tag, languages);
}

function readValue(
  value: unknown,
  field: string,
  key: PlacedKey['key'],
  language: Language | undefined,
  { catalog, rules, held, matches }: Reading,
): string {
  if (value === undefined || value === null) throw new LineRefused('badParameter', field, 'is missing');
  if (!Array.isArray(value)) throw new LineRefused('badParameter', field, 'must be an array');
  const retired = key.values?.some((each) => each.retired) ?? false;
  const allHeld = retired && rules.withRetired ? key.values?.map((each) => each.value) : held?.get(key.keyNo);
  const circumstances = { languages: catalog.languages, language, held: allHeld ?? [], matches };
  const checked = checkSelection(key, value, circumstances);
  if ('value' in checked) return JSON.stringify(checked.value);
  const [first] = checked.problems;
  const allowed = first?.allowed === undefined ? '' : `; allowed: ${JSON.stringify(first.allowed).slice(0, 200)}`;
  throw new LineRefused(
    'valueNotAllowed',
    `${first?.field}`.replace('value', field),
    `${first?.message}${allowed}`,
    retired && held === undefined,
  );
}

type KeyFinder = (option: Members, at: string) => PlacedKey;

function createKeyFinder(catalog: CompiledCatalog, withArchived: boolean): KeyFinder {
  const names = createKeyNames(catalog);
  return (option, at) => {
    for (const name of ['group', 'key', 'option_key_uid']) {
      if (typeof option[name] === 'string') continue;
      if (name === 'option_key_uid' && (option[name] ?? null) === null) continue;
      const reason = option[name] === undefined ? 'is missing' : 'must be a string';
      throw new LineRefused('badParameter', at + name, reason);
    }
    const { group, key, option_key_uid: uid } = option as { group: string; key: string; option_key_uid?: string };
    const placed = uid ? findByUid(catalog, names, { group, key, uid }, at) : names.find(group, key);
    if (!placed && !names.hasGroup(group)) {
      throw new LineRefused('groupNotFound', `${at}group`, 'does not match any group');
    }
    if (!placed) throw new LineRefused('keyNotFound', `${at}key`, 'does not match any key of this group');
    if (placed.key.archived && !withArchived) throw new LineRefused('keyArchived', `${at}key`, 'is archived');
    return placed;
  };
}

/** An application with the same catalog has other UIDs: there, the only other key of that name is meant. */
function findByUid(
  catalog: CompiledCatalog,
  names: KeyNames,
  { group, key, uid }: { group: string; key: string; uid: string },
  at: string,
): PlacedKey {
  const known = catalog.keyByUid.get(uid.toLowerCase());
  if (known && inNfc(known.group.name) === inNfc(group) && inNfc(known.key.name) === inNfc(key)) return known;
  if (known) throw new LineRefused('badParameter', `${at}option_key_uid`, 'is the UID of a key with another name');
  const [twin, ...more] = names.twins(group, key);
  if (twin && more.length === 0) return twin;
  throw new LineRefused('keyNotFound', `${at}option_key_uid`, 'does not match any key');
}

function readLanguage(option: Members, at: string, { languages }: CompiledCatalog): Language | undefined {
  const { language } = option;
  if (language === undefined || language === null) return undefined;
  const found = typeof language === 'string' ? languages.find(language) : undefined;
  if (!found) throw new LineRefused('languageUnknown', `${at}language`, 'is no language of this application');
  return found;
}

function readName(given: Members, field: string, error: ErrorName): string {
  const problem = missingReason(given[field]);
  if (problem) throw new LineRefused(error, field, problem);
  return given[field] as string;
}

function readUuid(given: Members, field: string, at: string): string | undefined {
  const value = given[field];
  if (value === undefined || value === null) return undefined;
  const uuid = typeof value === 'string' ? readUuidText(value) : undefined;
  if (uuid === undefined) throw new LineRefused('badParameter', at + field, 'must be a UUID');
  return uuid;
}

function readTime(given: Members, field: string, at: string, rules: LineRules): number | undefined {
  const value = given[field];
  if (value === undefined || value === null) return undefined;
  const time = typeof value === 'string' ? readTransferTime(value) : undefined;
  if (time === undefined)
    throw new LineRefused('badParameter', at + field, 'must be a UTC time as YYYY-MM-DD HH:MM:SS');
  if (time > rules.at + FUTURE_MS) throw new LineRefused('badParameter', at + field, 'is in the future');
  return time;
}

/** A misspelled member would be lost silently. */
function refuseUnknown(given: Members, known: ReadonlySet<string>, at: string): void {
  for (const name of Object.keys(given)) {
    if (!known.has(name)) {
      throw new LineRefused('badParameter', at + name.slice(0, 64), `is unknown; known: ${[...known].join(', ')}`);
    }
  }
}
