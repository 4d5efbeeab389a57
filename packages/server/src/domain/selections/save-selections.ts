import { randomUUIDv7 } from 'node:crypto';
import type { SelectionChange, SelectionRecord, UserRecord, WantedChange } from '../../storage/port.ts';
import type { Language, Scalar } from '../catalog/catalog.ts';
import { type Matches, parseValues } from '../catalog/check-value.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { directlyOrInSlices, mapSteps } from '../slices.ts';
import { userSuspended } from '../users/identify-user.ts';
import {
  changeList,
  checkSelection,
  MAX_STEPS_INLINE,
  matchWithin,
  type Refusals,
  type TranslatedValues,
  type WantedSelection,
} from './check-selection.ts';
import { isAllowed } from './effective.ts';
import { isOpenText, setText, textsOf } from './open-texts.ts';

export type SavedSelection = { record: SelectionRecord; created: boolean };

/** `more` of the error `selectionChanged`: the current record. */
export type ChangedSelection = { placed: PlacedKey; record: SelectionRecord | undefined };

type SaveOptions = {
  refusals: Refusals;
  matches?: Matches | undefined;
  /** What the user already has is read and counted first, and a save that others overtake starts over. */
  isInTurn?: boolean;
};

type Current = ReadonlyMap<number, SelectionRecord>;
/** `matchesHeld` is for existing values: limited for the whole request. */
type Rules = {
  catalog: CompiledCatalog;
  matches: Matches | undefined;
  matchesHeld: Matches;
  translated: TranslatedValues;
};

/** How often to retry when other processes change the same record at the same time. */
const TRIES = 200;

/**
 * Checks every choice, then saves all or none. Anything that depends on the current record (an ETag, a change of a
 * list, a text in one of several languages) is computed from what was read and saved only if that has not changed, else
 * computed again.
 */
export async function saveSelections(...args: Parameters<typeof saveNow>): Promise<SavedSelection[]> {
  const [service, user, catalog, wanted, change, options] = args;
  const lists = wanted.map(({ values }) => values);
  const isCounted = needsCounting(lists, catalog.keyByNo.size);
  // If others change the same record, they take turns: of many at once, each would start over for each of the others.
  const saved =
    (isCounted ? undefined : await saveNow(...args)) ??
    (await inTurnOfUser(user.userId, () =>
      saveNow(service, user, catalog, wanted, change, { ...options, isInTurn: true }),
    ));
  if (!saved) throw new InnkeeperError('unavailable');
  return saved;
}

/** undefined: others changed the same record meanwhile. */
async function saveNow(
  service: Service,
  user: Pick<UserRecord, 'appId' | 'userId'>,
  catalog: CompiledCatalog,
  wanted: readonly WantedSelection[],
  change: Omit<SelectionChange, 'at'>,
  { refusals, matches, isInTurn = false }: SaveOptions,
): Promise<SavedSelection[] | undefined> {
  const { selections } = service.storage;
  const read = async (): Promise<Current> =>
    new Map((await selections.list(user.userId)).map((record) => [record.keyNo, record]));
  const translated: TranslatedValues = new Map();
  let current = isInTurn || wanted.some(dependsOnRecord) ? await read() : undefined;
  for (let tries = 1; ; tries++) {
    const rules = { catalog, matches, matchesHeld: matchWithin(MAX_STEPS_INLINE, true), translated };
    const now = current;
    // Each may have to look through the texts of thousands of values.
    const changes = await directlyOrInSlices(mapSteps(wanted, (each) => toChange(each, rules, now, refusals)));
    refusals.throwIfAny();
    const sent = changes as WantedChange[];
    if (current && isTooMuch(current, sent)) throw tooMuch(wanted);
    const saved = await selections.save(user.appId, user.userId, sent, { ...change, at: service.now() });
    if (saved.outcome === 'user-gone') throw new InnkeeperError('profileUserNotFound');
    if (saved.outcome === 'user-suspended') throw userSuspended();
    if (saved.outcome === 'saved') {
      service.activity.count(user.appId, 'selectionsSaved', saved.records.length);
      return saved.records.map((record, index) => ({
        record,
        created: record.selectionId === sent[index]?.selectionId,
      }));
    }
    if (!isInTurn || tries === TRIES) return undefined;
    current = await read();
  }
}

function tooMuch(wanted: readonly WantedSelection[]): InnkeeperError {
  const message = `would make the user's selections longer than ${MAX_HELD} characters together`;
  const [first] = wanted;
  const field = `${first?.field ?? ''}${first?.remove ? 'add' : 'value'}`;
  return new InnkeeperError('valueNotAllowed', { fields: [{ field, message }], message: `${field} ${message}.` });
}

/** A user who has a retired value may keep it. */
function dependsOnRecord({ placed: { key }, remove, ifMatch }: WantedSelection): boolean {
  return ifMatch !== undefined || remove !== undefined || (key.values?.some(({ retired }) => retired) ?? false);
}

/** All problems go to `refusals`. */
function toChange(
  wanted: WantedSelection,
  rules: Rules,
  current: Current | undefined,
  refusals: Refusals,
): WantedChange | undefined {
  const { placed, field, place, ifMatch } = wanted;
  const { key } = placed;
  const record = current?.get(key.keyNo);
  if (key.archived) {
    const fields = [{ field: `${field}option_key_uid`, message: 'is archived' }];
    refusals.refuse(place, new InnkeeperError('keyArchived', { fields }));
  }
  if (ifMatch !== undefined && !isMet(ifMatch, record)) {
    const header = ifMatch === 'none' ? 'If-None-Match' : 'If-Match';
    const message = ifMatch === 'none' ? 'a record already exists' : 'does not match the current record';
    const fields = [{ field: field === '' ? header : `${field}if_match`, message }];
    const more = { placed, record } satisfies ChangedSelection;
    refusals.refuse(place, new InnkeeperError('selectionChanged', { fields, more }));
  }
  if (key.archived || wanted.isUnreadable) return undefined;
  return refusals.attempt(place, () => changeTo(wanted, readValue(wanted, rules, record), { rules, current, record }));
}

function changeTo(
  { placed: { key }, language, shownIn, ifMatch, remove }: WantedSelection,
  value: Scalar | Scalar[],
  {
    rules: { catalog },
    current,
    record,
  }: { rules: Rules; current: Current | undefined; record: SelectionRecord | undefined },
): WantedChange {
  const isConditional = ifMatch !== undefined || remove !== undefined;
  const change: WantedChange = {
    selectionId: randomUUIDv7(),
    keyNo: key.keyNo,
    revision: catalog.revision,
    value: JSON.stringify(value),
    language: null,
    shownIn: (language ?? shownIn)?.tag,
    ...(isConditional && { expected: record ? { selectionId: record.selectionId, version: record.version } : null }),
  };
  if (!isOpenText(key)) return change;
  const { languages } = catalog;
  const tag = (language ?? languages.byDefault)?.tag;
  return setText(change, key, value, tag, { languages, record, isKnown: current !== undefined });
}

function isMet(ifMatch: NonNullable<WantedSelection['ifMatch']>, record: SelectionRecord | undefined): boolean {
  if (!record || ifMatch === 'none') return !record && ifMatch === 'none';
  return ifMatch === '*' || ifMatch.some((tag) => isTagOf(tag, record));
}

function readValue(
  { placed, values, remove, language, field }: WantedSelection,
  { catalog, matches, matchesHeld, translated }: Rules,
  record: SelectionRecord | undefined,
): Scalar | Scalar[] {
  const { key } = placed;
  const held = record ? parseValues(record.value) : [];
  const circumstances = { languages: catalog.languages, language, held, matches, translated };
  const checked = remove
    ? changeList(key, listOf(catalog, placed, language, record, matchesHeld), { add: values, remove }, circumstances)
    : checkSelection(key, values, circumstances);
  if ('value' in checked) return checked.value;
  const fields = checked.problems.map((problem) => ({ ...problem, field: field + problem.field }));
  const [first] = fields;
  throw new InnkeeperError('valueNotAllowed', { fields, message: `${first?.field} ${first?.message}.` });
}

/** The list that a form shows, which is then changed: the saved one if the key still allows it, else the default. */
function listOf(
  catalog: CompiledCatalog,
  placed: PlacedKey,
  language: Language | undefined,
  record: SelectionRecord | undefined,
  matches: Matches,
): readonly Scalar[] {
  const fallback = (placed.key.defaultValue ?? []) as Scalar[];
  if (!record || !isAllowed(catalog, placed, record, matches)) return fallback;
  const list = JSON.parse(record.value) as Scalar[];
  if (!isOpenText(placed.key)) return list;
  return catalog.languages.textFor<readonly Scalar[]>(textsOf(record) as Record<string, string[]>, language, list).text;
}

/**
 * Maximum characters of all selections of one user. Every read of a user reads all of them at once: hundreds of long
 * lists would hold everyone up. It is more than any form asks for; small selections are bounded by the catalog, because
 * each key has one.
 */
const MAX_HELD = 2 * 1024 ** 2;
/** Too small to check: a thousand of these are a quarter of what a user may have. */
const SMALL = 512;
const MANY_KEYS = 1_000;

type Held = Pick<SelectionRecord, 'keyNo' | 'value'> & { texts?: string | null | undefined };

function sizeOf(held: Iterable<Held>): number {
  let size = 0;
  for (const { value, texts } of held) size += value.length + (texts?.length ?? 0);
  return size;
}

/** Whether the user's existing selections must be counted before saving. */
function needsCounting(values: readonly (readonly unknown[])[], keys: number): boolean {
  if (keys > MANY_KEYS) return true;
  return values.some((list) => list.reduce<number>((size, each) => size + lengthOf(each), 0) > SMALL);
}

/** For input that may not be checked yet: anything but a string is short, or refused. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 8;
}

/** A save that makes things smaller is always allowed: that is how to get below the limit. */
function isTooMuch(current: ReadonlyMap<number, Held>, changes: readonly WantedChange[]): boolean {
  const replaced = changes.flatMap(({ keyNo }) => current.get(keyNo) ?? []);
  const growth = sizeOf(changes) - sizeOf(replaced);
  return growth > 0 && sizeOf(current.values()) + growth > MAX_HELD;
}

const waiting = new Map<string, Promise<unknown>>();

/** Runs saves of one user one after another, so that each counts and changes what the one before has saved. */
async function inTurnOfUser<T>(userId: string, save: () => Promise<T>): Promise<T> {
  const before = waiting.get(userId) ?? Promise.resolve();
  const mine = before.then(save, save);
  waiting.set(userId, mine);
  try {
    return await mine;
  } finally {
    if (waiting.get(userId) === mine) waiting.delete(userId);
  }
}

/** The tag in a record's ETag: unchanged as long as the record is. Labels and languages are not part of it. */
export function recordTag({ selectionId, version }: Pick<SelectionRecord, 'selectionId' | 'version'>): string {
  return `${selectionId}.${version}`;
}

/** Whether the ETag of a record, or of a representation of it (which is longer), is current. */
export function isTagOf(tag: string, record: SelectionRecord): boolean {
  const current = recordTag(record);
  return tag === current || tag.startsWith(`${current}.`);
}
