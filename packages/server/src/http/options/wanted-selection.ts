import type { Language } from '../../domain/catalog/catalog.ts';
import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import { type FieldError, InnkeeperError } from '../../domain/errors.ts';
import type { Refusals, WantedSelection } from '../../domain/selections/check-selection.ts';
import type { UserClaims } from '../../domain/users/identify-user.ts';
import { readUuid } from '../../uuid.ts';
import { readJsonObject } from '../bodies.ts';
import { badParameter, readParameter } from '../paging.ts';
import { readAuthorization, readEntityTags } from '../request-headers.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';
import { findGroup, findLanguage } from './responses.ts';

/** `language`: for choices that name none; 'unknown' if the one sent was already refused. */
type Part = Pick<WantedSelection, 'place' | 'field'> & { language?: Language | 'unknown' | undefined };

/**
 * Reads one choice as sent and finds its group, key and language. `field` prefixes names in errors. All
 * problems go to `refusals`; a choice whose key was found is returned even so, to check the rest of it.
 */
export function readWantedSelection(
  catalog: CompiledCatalog,
  body: Record<string, unknown>,
  refusals: Refusals,
  { place, field, language: languageOfAll }: Part = { place: 0, field: '' },
): WantedSelection | undefined {
  const problems: FieldError[] = [];
  const readText = (name: string) => {
    const text = body[name];
    if (!isGiven(text) || typeof text === 'string') return text as string | null | undefined;
    problems.push({ field: field + name, message: 'must be a string' });
    return undefined;
  };
  const readUid = (name: string) => {
    const text = readText(name);
    const isBlank = text?.trim() === '';
    if (!isGiven(body[name]) || isBlank) problems.push({ field: field + name, message: 'is missing' });
    return text && !isBlank ? (readUuid(text) ?? text) : undefined;
  };
  const groupUid = readUid('option_group_uid');
  const groupName = readText('option_group_name') ?? undefined;
  const keyUid = readUid('option_key_uid');
  const languageName = readText('language');
  const sent = readValues(body, field, problems);
  if (problems.length > 0) refusals.refuse(place, badParameter(problems));

  const named = keyUid === undefined ? undefined : catalog.keyByUid.get(keyUid);
  // Archiving a group archives its keys: report the key as archived, not its group as unknown.
  const group =
    named?.key.archived && named.group.groupUid === groupUid
      ? named.group
      : refusals.attempt(place, () => findGroup(catalog, groupUid, groupName, { field }));
  const placed = group && named?.group !== group ? undefined : named;
  if (!placed && keyUid !== undefined) {
    const message = group ? 'does not match any key of this group' : 'does not match any key';
    refusals.refuse(
      place,
      new InnkeeperError('keyNotFound', { fields: [{ field: `${field}option_key_uid`, message }] }),
    );
  }
  const isSingle = placed && sent?.remove && !placed.key.multiple;
  if (isSingle) {
    const name = isGiven(body.add) ? 'add' : 'remove';
    const message = 'requires a multiple-choice key: send `value` instead';
    refusals.refuse(place, badParameter([{ field: field + name, message }]));
  }
  const language =
    typeof languageName === 'string'
      ? (refusals.attempt(place, () => findLanguage(catalog.languages, languageName, field)) ?? 'unknown')
      : body.language === undefined
        ? languageOfAll
        : undefined;
  if (!placed) return undefined;
  // Values may be in the unknown language.
  const isUnreadable = !sent || isSingle || (language === 'unknown' && placed.key.type === 'string');
  return {
    placed,
    ...(sent ?? { values: [] }),
    language: language === 'unknown' ? undefined : language,
    ...(isUnreadable && { isUnreadable }),
    place,
    field,
  };
}

/** `value`, or `add` and `remove` in its place; undefined if they are invalid. */
function readValues(
  body: Record<string, unknown>,
  field: string,
  problems: FieldError[],
): Pick<WantedSelection, 'values' | 'remove'> | undefined {
  const before = problems.length;
  const readList = (name: 'value' | 'add' | 'remove'): unknown[] => {
    const list = body[name];
    if (!isGiven(list)) return [];
    if (Array.isArray(list)) return list;
    problems.push({ field: field + name, message: 'must be an array' });
    return [];
  };
  const changes = (['add', 'remove'] as const).filter((name) => isGiven(body[name]));
  if (changes.length === 0) {
    if (!isGiven(body.value)) problems.push({ field: `${field}value`, message: 'is missing' });
    const values = readList('value');
    return problems.length > before ? undefined : { values };
  }
  if (isGiven(body.value)) {
    for (const name of changes) problems.push({ field: field + name, message: 'cannot be combined with `value`' });
  }
  const [values, remove] = [readList('add'), readList('remove')];
  return problems.length > before ? undefined : { values, remove };
}

export function isGiven(member: unknown): boolean {
  return member !== undefined && member !== null;
}

/** Preconditions of a save or unset: `If-Match`, or `If-None-Match: *` if there must be no record. */
export function readConditions(headers: HttpRequest['headers']): WantedSelection['ifMatch'] {
  const ifMatch = readIfMatch(headers['if-match'], 'If-Match');
  const ifNoneMatch = headers['if-none-match']?.trim();
  if (ifNoneMatch === undefined) return ifMatch;
  const field = 'If-None-Match';
  if (ifNoneMatch !== '*') throw badParameter([{ field, message: 'must be *' }]);
  if (ifMatch !== undefined) throw badParameter([{ field, message: 'contradicts If-Match: send only one of them' }]);
  return 'none';
}

/** The tags of `If-Match`, or of `if_match` in a body, where the quotes are optional. */
export function readIfMatch(text: string | undefined, field: string): Exclude<WantedSelection['ifMatch'], 'none'> {
  if (text === undefined) return undefined;
  const tags = readEntityTags(field === 'If-Match' || text.includes('"') || text === '*' ? text : `"${text}"`);
  if (tags === undefined)
    throw badParameter([{ field, message: 'must be the ETag of a record, a list of them, or *' }]);
  return tags;
}

/** The user that a saving request names: in its body, or as Bearer. */
export function claimsOfBody(request: HttpRequest, body: Record<string, unknown>): UserClaims {
  const problems: FieldError[] = [];
  const read = (field: string) => {
    const text = body[field];
    if (typeof text === 'string') return text;
    if (isGiven(text)) problems.push({ field, message: 'must be a string' });
    return undefined;
  };
  const [userUid, accessToken] = [read('user_uid'), read('access_token')];
  if (problems.length > 0) throw badParameter(problems);
  return { userUid, accessToken, credentials: readAuthorization(request.headers.authorization) };
}

/** The user that a reading request names: as Bearer, or as Basic with user_uid. */
export function claimsOfQuery(request: HttpRequest): UserClaims {
  return {
    userUid: readParameter(request.query, 'user_uid'),
    accessToken: undefined,
    credentials: readAuthorization(request.headers.authorization),
  };
}

/** The options API has its own code for a body that is not a JSON object: 1009. Unknown members are ignored. */
export function readOptionsBody(request: HttpRequest): Record<string, unknown> {
  try {
    return readJsonObject(request);
  } catch (error) {
    if (error instanceof InnkeeperError) throw new InnkeeperError('badParameter', { message: error.message });
    throw error;
  }
}

/** A string that may be omitted or null. */
export function optionalText(body: Record<string, unknown>, field: string, prefix = ''): string | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw badParameter([{ field: prefix + field, message: 'must be a string' }]);
  return value;
}
