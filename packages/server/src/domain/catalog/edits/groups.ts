import { InnkeeperError } from '../../errors.ts';
import type { Edit } from '../edit-catalog.ts';
import type { FileGroup } from '../file-schema.ts';
import type { OpenGroup, WorkingCopy } from '../working-copy.ts';
import { findGroup, move, place } from './find-item.ts';
import { patchAllTexts } from './patch-texts.ts';

/** As in the catalog file, optionally with keys. An archived group of the same name is restored. */
export function addGroup(wanted: Record<string, unknown>, position: number | undefined): Edit {
  return (copy) => {
    const { keys = [], ...group } = wanted as Partial<FileGroup>;
    // The check of the copy reports anything that is not a list of keys.
    const isList = Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null);
    const added: OpenGroup = isList
      ? { group: group as FileGroup, keys: keys.map((key) => ({ key })) }
      : { group: wanted as FileGroup, keys: [] };
    return ['groups', place(copy.groups, added, position)];
  };
}

export type GroupPatch = { name?: unknown; translations?: unknown; descriptions?: unknown };

/** Members that are not given stay. Texts are changed one by one; null removes one. */
export function changeGroup(
  groupUid: string,
  { name, ...patch }: GroupPatch,
  { position, unarchive }: { position: number | undefined; unarchive: boolean },
): Edit {
  return (copy) => {
    if (unarchive) bringBack(copy, groupUid);
    const { group, index } = findGroup(copy, groupUid);
    const patched = patchAllTexts(group.group, patch, copy.languages);
    group.group = { ...patched, ...(name !== undefined && { name: name as string }) };
    return ['groups', move(copy.groups, index, position)];
  };
}

export function archiveGroup(groupUid: string): Edit {
  return (copy) => {
    const index = copy.groups.findIndex(({ uid }) => uid === groupUid);
    if (index === -1) throw new InnkeeperError('catalogItemNotFound');
    copy.groups.splice(index, 1);
    return [];
  };
}

/** Restores a group with the keys that were live when it was archived. */
function bringBack(copy: WorkingCopy, groupUid: string): void {
  if (copy.groups.some(({ uid }) => uid === groupUid)) return;
  const archived = copy.catalog.groups.find((group) => group.groupUid === groupUid);
  if (!archived) throw new InnkeeperError('catalogItemNotFound');
  copy.groups.push({ uid: groupUid, closed: { ...archived, archived: false } });
}
