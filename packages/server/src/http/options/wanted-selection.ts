import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import { type FieldError, InnkeeperError } from '../../domain/errors.ts';
import type { WantedSelection } from '../../domain/selections/save-selections.ts';
import { badParameter } from '../paging.ts';
import { findLanguage } from './catalog-answer.ts';
import { findGroup } from './find-group.ts';
import { optionalText, optionalUuid } from './user-claims.ts';

/** One choice as sent (SPEC.md 4.7), with its group, key and language found. `field` stands before names in errors. */
export function readWantedSelection(
  catalog: CompiledCatalog,
  body: Record<string, unknown>,
  field: string,
): WantedSelection {
  const groupUid = optionalUuid(body, 'option_group_uid', field);
  const groupName = optionalText(body, 'option_group_name', field);
  const keyUid = optionalUuid(body, 'option_key_uid', field);
  const languageName = optionalText(body, 'language', field);
  const { value } = body;

  const missing: FieldError[] = [];
  if (groupUid === undefined) missing.push({ field: `${field}option_group_uid`, message: 'is missing' });
  if (keyUid === undefined) missing.push({ field: `${field}option_key_uid`, message: 'is missing' });
  if (value === undefined || value === null) missing.push({ field: `${field}value`, message: 'is missing' });
  else if (!Array.isArray(value)) missing.push({ field: `${field}value`, message: 'must be an array' });
  if (missing.length > 0) throw badParameter(missing);

  const placed = catalog.keyByUid.get(keyUid as string);
  // A key takes its group into the archive: who asks for it learns that, not that its group is unknown.
  const group =
    placed?.key.archived && placed.group.groupUid === groupUid
      ? placed.group
      : findGroup(catalog, groupUid, groupName, { field });
  if (!placed || placed.group !== group) {
    const fields = [{ field: `${field}option_key_uid`, message: 'names no key of this group' }];
    throw new InnkeeperError('keyNotFound', { fields });
  }
  const language = languageName === undefined ? undefined : findLanguage(catalog.languages, languageName, field);
  return { placed, values: value as unknown[], language, field };
}
