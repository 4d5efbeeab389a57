import type { UserRecord } from '../../storage/port.ts';
import { readUuid } from '../../uuid.ts';
import type { Application } from '../applications/application.ts';
import type { Scalar } from '../catalog/catalog.ts';
import type { Matches } from '../catalog/check-value.ts';
import type { CompiledCatalog } from '../catalog/compile.ts';
import { InnkeeperError } from '../errors.ts';
import { checkSelection, MAX_STEPS_INLINE, matchWithin } from '../selections/check-selection.ts';
import type { Service } from '../service.ts';
import { findNamedKey } from '../users/key-names.ts';
import { groupMark, type Unsubscription, writeLink } from './link-token.ts';

const DAY_SECONDS = 86_400;
const USUAL_SECONDS = 30 * DAY_SECONDS;
const MAX_SECONDS = 365 * DAY_SECONDS;
/** Mail programs break longer ones. */
const MAX_URL = 200;
const MAX_NAMED = 50;

/** What creating a link requires, in the service or on the command line. */
export type LinkMaker = Pick<Service, 'storage' | 'keyring' | 'publicUrl' | 'now'> & {
  catalogs: Pick<Service['catalogs'], 'get'>;
};

/** As sent, unchecked. */
export type WantedLink = { groups: unknown; language: unknown; expiresIn: unknown; unsubscribe: unknown };

export type MadeLink = {
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

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readExpiry(value: unknown): number {
  if (!isGiven(value)) return USUAL_SECONDS;
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= MAX_SECONDS) return value as number;
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
    const group = catalog.groupByName.get(text) ?? catalog.groupByUid.get(readUuid(text) ?? '');
    if (!group) throw refused(`groups[${index}] is not the name or UID of an option group.`);
    return groupMark(group.groupUid);
  });
  return [...new Set(marks)];
}

function readUnsubscribe(catalog: CompiledCatalog, value: unknown): Unsubscription[] {
  if (!isGiven(value)) return [];
  const entries = typeof value === 'object' && !Array.isArray(value) ? Object.entries(value as object) : [];
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
  if ('value' in checked) return { keyNo: key.keyNo, values: [checked.value].flat() as Scalar[] };
  const [problem] = checked.problems;
  throw refused(`${field}: ${problem?.field} ${problem?.message}.`);
}
