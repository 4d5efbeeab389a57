import type { Group } from '../../domain/catalog/catalog.ts';
import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import { type FieldError, InnkeeperError } from '../../domain/errors.ts';

/**
 * The group that uid and name, or one of them, mean: 1004 when there is none, 1010 when they disagree.
 * `field` stands before names in errors; archived groups are found only where they are asked for.
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
