import type { Group } from '../../domain/catalog/catalog.ts';
import type { CompiledCatalog } from '../../domain/catalog/compile.ts';
import { InnkeeperError } from '../../domain/errors.ts';

/** The group that uid and name, or one of them, mean: 1004 when there is none, 1010 when they disagree. */
export function findGroup(
  catalog: CompiledCatalog,
  uid: string | undefined,
  name: string | undefined,
): Group | undefined {
  if (uid === undefined && name === undefined) return undefined;
  const byUid = uid === undefined ? undefined : catalog.groupByUid.get(uid);
  const byName = name === undefined ? undefined : catalog.groupByName.get(name);
  if ((uid !== undefined && !byUid) || (name !== undefined && !byName)) throw new InnkeeperError('groupNotFound');
  if (byUid && byName && byUid !== byName) throw new InnkeeperError('groupsDisagree');
  return byUid ?? byName;
}
