import { randomUUID, timingSafeEqual } from 'node:crypto';
import { inNfc } from '../../nfc.ts';
import type { UserRecord } from '../../storage/port.ts';
import { readUuid } from '../../uuid.ts';
import type { Application } from '../applications/application.ts';
import type { Group, Scalar } from '../catalog/catalog.ts';
import type { Matches } from '../catalog/check-value.ts';
import type { CompiledCatalog } from '../catalog/compile.ts';
import { InnkeeperError } from '../errors.ts';
import type { Keyring } from '../keyring.ts';
import { checkSelection, MAX_STEPS_INLINE, matchWithin } from '../selections/check-selection.ts';
import { type ReadWanted, type SavedForUser, saveWanted } from '../selections/save-for-user.ts';
import type { Service } from '../service.ts';
import { findNamedKey } from '../users/key-names.ts';

const DAY_SECONDS = 86_400;
const USUAL_SECONDS = 30 * DAY_SECONDS;
const MAX_SECONDS = 365 * DAY_SECONDS;
/** Mail programs break longer ones. */
const MAX_URL = 200;
const MAX_NAMED = 50;

/** What creating a link requires, in the service or on the command line. */
type LinkMaker = Pick<Service, 'storage' | 'keyring' | 'publicUrl' | 'now'> & {
  catalogs: Pick<Service['catalogs'], 'get'>;
};

/** As sent, unchecked. */
type WantedLink = { groups: unknown; language: unknown; expiresIn: unknown; unsubscribe: unknown };

type MadeLink = {
  url: string;
  expiresAt: number;
  /** Where one click saves what `unsubscribe` says. */
  unsubscribeUrl?: string;
};

/** A link to one user's preference page, which needs no sign-in. */
export async function makePreferenceLink(
  service: LinkMaker,
  { appId }: Pick<Application, 'appId'>,
  { userId }: Pick<UserRecord, 'userId'>,
  wanted: WantedLink,
): Promise<MadeLink> {
  const catalog = await service.catalogs.get(appId);
  const seconds = readExpiry(wanted.expiresIn);
  const language = readLanguage(catalog, wanted.language);
  const groups = readGroups(catalog, wanted.groups);
  const unsubscribe = readUnsubscribe(catalog, wanted.unsubscribe);
  const generation = await service.storage.users.linkGeneration(appId, userId);
  if (generation === undefined) throw new InnkeeperError('userUnknown');
  const expiresAt = (Math.floor(service.now() / 1000) + seconds) * 1000;
  const content = { appId, userId, expiresAt, generation, language, groups, unsubscribe: [] };
  const urlOf = (path: 'p' | 'u', entries: readonly Unsubscription[]): string => {
    const url = `${service.publicUrl}/${path}/${writeLink(service.keyring, { ...content, unsubscribe: entries })}`;
    if (url.length <= MAX_URL) return url;
    throw refused(`The link would be longer than ${MAX_URL} characters: name fewer groups, keys or values.`);
  };
  return {
    url: urlOf('p', []),
    expiresAt,
    ...(unsubscribe.length > 0 && { unsubscribeUrl: urlOf('u', unsubscribe) }),
  };
}

function refused(message: string): InnkeeperError {
  return new InnkeeperError('usersBadRequest', { message });
}

function isGiven(value: unknown): value is NonNullable<unknown> {
  return value !== undefined && value !== null;
}

function readExpiry(value: unknown): number {
  if (!isGiven(value)) return USUAL_SECONDS;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= MAX_SECONDS) return value;
  throw refused(`expires_in must be a whole number of seconds, 1 to ${MAX_SECONDS} (a year).`);
}

function readLanguage({ languages }: CompiledCatalog, value: unknown): string | null {
  if (!isGiven(value)) return null;
  const language = typeof value === 'string' ? languages.find(value) : undefined;
  if (language) return language.tag;
  throw refused(`language must be one of: ${languages.all.map(({ name }) => name).join(', ')}.`);
}

function readGroups(catalog: CompiledCatalog, value: unknown): string[] {
  if (!isGiven(value)) return [];
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_NAMED) {
    throw refused(`groups must be an array of 1 to ${MAX_NAMED} names or UIDs of option groups.`);
  }
  const marks = value.map((each: unknown, index) => {
    const text = typeof each === 'string' ? each : '';
    const group = catalog.groupByName.get(inNfc(text)) ?? catalog.groupByUid.get(readUuid(text) ?? '');
    if (!group) throw refused(`groups[${index}] is not the name or UID of an option group.`);
    return groupMark(group.groupUid);
  });
  return [...new Set(marks)];
}

function readUnsubscribe(catalog: CompiledCatalog, value: unknown): Unsubscription[] {
  if (!isGiven(value)) return [];
  const entries = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : [];
  if (entries.length === 0 || entries.length > MAX_NAMED) {
    throw refused('unsubscribe must be an object such as {"group.key": [values]}, with at least one key.');
  }
  const matches = matchWithin(MAX_STEPS_INLINE, undefined);
  return entries.map(([name, values]) => readEntry(catalog, name, values, matches));
}

/** Checked now, so that a mistake shows when the link is created, not when someone clicks. */
function readEntry(catalog: CompiledCatalog, name: string, values: unknown, matches: Matches): Unsubscription {
  const field = `unsubscribe[${JSON.stringify(name.slice(0, 100))}]`;
  const placed = findNamedKey(catalog, name);
  if (placed === 'ambiguous') throw refused(`${field} names several option keys: use the option_key_uid.`);
  if (!placed || placed.key.archived) throw refused(`${field} is not an option key: write it as group.key.`);
  if (!Array.isArray(values)) throw refused(`${field} must be an array of values.`);
  const { key } = placed;
  const checked = checkSelection(key, values, { languages: catalog.languages, language: undefined, held: [], matches });
  if ('value' in checked) return { keyNo: key.keyNo, values: [checked.value].flat() };
  const [problem] = checked.problems;
  throw refused(`${field}: ${problem?.field} ${problem?.message}.`);
}

export type OpenedLink = {
  application: Application;
  user: UserRecord;
  catalog: CompiledCatalog;
  /** The groups that the link shows and that still exist. */
  groups: readonly Group[];
  link: LinkContent;
};

/** Longer than looking up a link usually takes. */
const FAILURE_MS = 10;

/**
 * Every problem with a link, its user or its application looks the same: the link does not work. The time is the same
 * too: a made-up link is looked up as if it belonged to a user, and every failure waits for the same time.
 */
export async function openLink(service: Service, token: string): Promise<OpenedLink> {
  const timing = Promise.withResolvers<void>();
  const timer = setTimeout(timing.resolve, FAILURE_MS);
  try {
    const opened = await lookUp(service, token);
    if (opened) return opened;
    await timing.promise;
    throw invalid();
  } finally {
    clearTimeout(timer);
  }
}

async function lookUp(service: Service, token: string): Promise<OpenedLink | undefined> {
  const link = readLink(service.keyring, token);
  const { appId, userId } = link ?? { appId: 0, userId: randomUUID() };
  const { users } = service.storage;
  const [user, generation] = await Promise.all([users.find(appId, userId), users.linkGeneration(appId, userId)]);
  if (!link || link.expiresAt <= service.now()) return undefined;
  if (user?.status !== 'active' || generation !== link.generation) return undefined;
  const application = await service.applications.findById(appId);
  if (!application) return undefined;
  const catalog = await service.catalogs.get(appId);
  const shown = new Set(link.groups);
  const groups = catalog.groups.filter(({ groupUid }) => shown.size === 0 || shown.has(groupMark(groupUid)));
  return { application, user, catalog, groups, link };
}

function invalid(): InnkeeperError {
  return new InnkeeperError('preferenceLinkInvalid');
}

/** Saves like any other request. */
export async function saveByLink(
  service: Service,
  { user }: OpenedLink,
  authMethod: 'preference_link' | 'unsubscribe',
  readWanted: ReadWanted,
): Promise<SavedForUser> {
  try {
    return await saveWanted(service, user, () => ({ authMethod }), readWanted);
  } catch (error) {
    // Deleted or suspended since the link was opened.
    const isGone = error instanceof InnkeeperError && ['profileUserNotFound', 'userSuspended'].includes(error.error);
    throw isGone ? invalid() : error;
  }
}

/**
 * The content of a preference link. It is all in the link itself, so creating one for each of a million mails writes
 * nothing.
 */
export type LinkContent = {
  appId: number;
  userId: string;
  /** Milliseconds, in whole seconds. */
  expiresAt: number;
  /** The user's generation when it was created (UserStore.linkGeneration). */
  generation: number;
  /** A tag. */
  language: string | null;
  /** Marks of the groups it shows (groupMark); empty: all. */
  groups: readonly string[];
  /** What one click saves. */
  unsubscribe: readonly Unsubscription[];
};

type Unsubscription = { keyNo: number; values: readonly Scalar[] };

/** Lets secret scanners and our own logs recognize links (monitoring/logging.ts). */
const PREFIX = 'ikr_';
const FORM = 1;
/** 128 bits of HMAC-SHA-256. */
const MAC_BYTES = 16;
const MAX_CHARACTERS = 400;

/** Four random bytes of its UID: enough to tell an application's groups apart, in a quarter of the space. */
function groupMark(groupUid: string): string {
  return groupUid.slice(-8);
}

export function writeLink(keyring: Keyring, link: LinkContent): string {
  const head = Buffer.alloc(25);
  head.writeUInt8(FORM, 0);
  head.writeUInt32BE(link.appId, 1);
  head.write(link.userId.replaceAll('-', ''), 5, 'hex');
  head.writeUInt32BE(link.expiresAt / 1000, 21);
  const content = Buffer.concat([
    head,
    writeNumber(link.generation),
    writeText(link.language ?? ''),
    writeNumber(link.groups.length),
    Buffer.from(link.groups.join(''), 'hex'),
    writeNumber(link.unsubscribe.length),
    ...link.unsubscribe.flatMap(({ keyNo, values }) => [writeNumber(keyNo), writeText(JSON.stringify(values))]),
  ]);
  const mac = readMac(keyring.hashPreferenceLink(content.toString('base64url')));
  return PREFIX + Buffer.concat([content, mac]).toString('base64url');
}

/** undefined: not made with this secret or the previous one, or altered. */
export function readLink(keyring: Keyring, token: string): LinkContent | undefined {
  if (!token.startsWith(PREFIX) || token.length > MAX_CHARACTERS) return undefined;
  const text = token.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64url');
  // Decoders are lenient: with blanks, padding or unused bits, the same link would have several texts.
  if (bytes.toString('base64url') !== text || bytes.length <= MAC_BYTES) return undefined;
  const content = bytes.subarray(0, -MAC_BYTES);
  const macs = keyring.preferenceLinkHashes(content.toString('base64url')).map(readMac);
  if (!macs.some((mac) => timingSafeEqual(bytes.subarray(-MAC_BYTES), mac))) return undefined;
  return readContent(content);
}

function readMac(hash: string): Buffer {
  return Buffer.from(hash, 'hex').subarray(0, MAC_BYTES);
}

/** The content is authentic: as writeLink wrote it, or from a later version. */
function readContent(content: Buffer): LinkContent | undefined {
  if (content.readUInt8(0) !== FORM) return undefined;
  const hex = content.toString('hex', 5, 21);
  const userId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  let at = 25;
  const number = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = content.readUInt8(at++);
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return content.subarray(at - length, at);
  };
  const list = <T>(read: () => T): T[] => Array.from({ length: number() }, read);
  return {
    appId: content.readUInt32BE(1),
    userId,
    expiresAt: content.readUInt32BE(21) * 1000,
    generation: number(),
    language: take(number()).toString() || null,
    groups: list(() => take(4).toString('hex')),
    unsubscribe: list(() => ({ keyNo: number(), values: JSON.parse(take(number()).toString()) as Scalar[] })),
  };
}

/** Seven bits per byte, lowest first. */
function writeNumber(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push(128 + (rest % 128));
  return Buffer.from([...bytes, rest]);
}

function writeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([writeNumber(bytes.length), bytes]);
}
