import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import { type FieldError, InnkeeperError } from '../../domain/errors.ts';
import type { WantedSelection } from '../../domain/selections/save-selections.ts';
import { readEntityTags } from '../etag.ts';
import { badParameter } from '../paging.ts';
import type { HttpRequest } from '../server/request-and-reply.ts';
import { findLanguage } from './catalog-answer.ts';
import { findGroup } from './find-group.ts';
import { optionalText, optionalUuid } from './user-claims.ts';

type Part = Pick<WantedSelection, 'place' | 'field'>;

/** One choice as sent (SPEC.md 4.7), with its group, key and language found. `field` stands before names in errors. */
export function readWantedSelection(
  catalog: CompiledCatalog,
  body: Record<string, unknown>,
  { place, field }: Part = { place: 0, field: '' },
): WantedSelection {
  const groupUid = optionalUuid(body, 'option_group_uid', field);
  const groupName = optionalText(body, 'option_group_name', field);
  const keyUid = optionalUuid(body, 'option_key_uid', field);
  const languageName = optionalText(body, 'language', field);

  const problems: FieldError[] = [];
  if (groupUid === undefined) problems.push({ field: `${field}option_group_uid`, message: 'is missing' });
  if (keyUid === undefined) problems.push({ field: `${field}option_key_uid`, message: 'is missing' });
  const { values, remove } = readValues(body, field, problems);
  if (problems.length > 0) throw badParameter(problems);

  const placed = catalog.keyByUid.get(keyUid as string);
  // A key takes its group into the archive: who asks for it learns that, not that its group is unknown.
  const group =
    placed?.key.archived && placed.group.groupUid === groupUid
      ? placed.group
      : findGroup(catalog, groupUid, groupName, { field });
  if (!placed || placed.group !== group) {
    const fields = [{ field: `${field}option_key_uid`, message: 'does not match any key of this group' }];
    throw new InnkeeperError('keyNotFound', { fields });
  }
  if (remove && !placed.key.multiple) {
    const name = isGiven(body.add) ? 'add' : 'remove';
    throw badParameter([{ field: field + name, message: 'goes with a key that takes several values: send `value`' }]);
  }
  const language = languageName === undefined ? undefined : findLanguage(catalog.languages, languageName, field);
  return { placed, values, remove, language, place, field };
}

/** `value`, or `add` and `remove` in its place. */
function readValues(
  body: Record<string, unknown>,
  field: string,
  problems: FieldError[],
): Pick<WantedSelection, 'values' | 'remove'> {
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
    return { values: readList('value') };
  }
  if (isGiven(body.value)) {
    for (const name of changes) problems.push({ field: field + name, message: 'stands in place of `value`: send one' });
  }
  return { values: readList('add'), remove: readList('remove') };
}

function isGiven(member: unknown): boolean {
  return member !== undefined && member !== null;
}

/** What a save or an unset asks of the record as it is: `If-Match`, or `If-None-Match: *` for none at all. */
export function readConditions(headers: HttpRequest['headers']): WantedSelection['ifMatch'] {
  const ifMatch = readIfMatch(headers['if-match'], 'If-Match');
  const ifNoneMatch = headers['if-none-match']?.trim();
  if (ifNoneMatch === undefined) return ifMatch;
  const field = 'If-None-Match';
  if (ifNoneMatch !== '*') throw badParameter([{ field, message: 'must be *' }]);
  if (ifMatch !== undefined) throw badParameter([{ field, message: 'contradicts If-Match: send one' }]);
  return 'none';
}

/** The tags of `If-Match`, or of `if_match` in a body, where the quotes may be left out. */
export function readIfMatch(text: string | undefined, field: string): Exclude<WantedSelection['ifMatch'], 'none'> {
  if (text === undefined) return undefined;
  const tags = readEntityTags(field === 'If-Match' || text.includes('"') || text === '*' ? text : `"${text}"`);
  if (tags === undefined)
    throw badParameter([{ field, message: 'must be the ETag of a record, a list of them, or *' }]);
  return tags;
}
