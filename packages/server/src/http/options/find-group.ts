import type { Group } from '../../domain/catalog/catalog.ts';
import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import { type FieldError, InnkeeperError } from '../../domain/errors.ts';

/**
 * Finds a group by uid, name or both: 1004 if there is none, 1010 if they disagree. `field` prefixes names in errors;
 * archived groups are found only on request.
 */
export function findGroup(
  catalog: CompiledCatalog,
  uid: string | undefined,
  name: string | undefined,
  { field = '', archivedToo = false }: { field?: string; archivedToo?: boolean } = {},
): Group | undefined {
  if (uid === undefined && name === undefined) return undefined;
  const candidates = archivedToo ? [...catalog.groupByUid.values(), ...catalog.archivedGroups] : undefined;
  const byUid =
    uid === undefined
      ? undefined
      : (catalog.groupByUid.get(uid) ?? candidates?.find(({ groupUid }) => groupUid === uid));
  const byName =
    name === undefined ? undefined : (catalog.groupByName.get(name) ?? candidates?.find((each) => each.name === name));

  const missing: FieldError[] = [];
  if (uid !== undefined && !byUid)
    missing.push({ field: `${field}option_group_uid`, message: 'does not match any group' });
  if (name !== undefined && !byName)
    missing.push({ field: `${field}option_group_name`, message: 'does not match any group' });
  if (missing.length > 0) throw new InnkeeperError('groupNotFound', { fields: missing });
  if (byUid && byName && byUid !== byName) {
    const fields = [{ field: `${field}option_group_name`, message: `is not the name of that group: ${byUid.name}` }];
    throw new InnkeeperError('groupsDisagree', { fields });
  }
  return byUid ?? byName;
}
