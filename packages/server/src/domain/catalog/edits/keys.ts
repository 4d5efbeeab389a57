import { InnkeeperError } from '../../errors.ts';
import type { Edit } from '../edit-catalog.ts';
import type { FileKey } from '../file-schema.ts';
import { openKey, type WorkingCopy } from '../working-copy.ts';
import { findGroup, findKey, move, place } from './find-item.ts';
import { patchAllTexts } from './patch-texts.ts';

/** As in the catalog file. An archived key of the same name is restored. */
export function addKey(groupUid: string, wanted: Record<string, unknown>, position: number | undefined): Edit {
  return (copy) => {
    const { group, path } = findGroup(copy, groupUid);
    return [...path, 'keys', place(group.keys, { key: wanted as FileKey }, position)];
  };
}

/**
 * Members that are not given stay; null removes one. Texts are changed one by one; anything else is replaced as a
 * whole. `groupUid` moves the key to that group, by default to the end.
 */
export function changeKey(
  keyUid: string,
  patch: Record<string, unknown>,
  {
    position,
    unarchive,
    groupUid,
  }: { position: number | undefined; unarchive: boolean; groupUid?: string | undefined },
): Edit {
  return (copy) => {
    if (unarchive) bringBack(copy, keyUid);
    const { group, key, index, path } = findKey(copy, keyUid);
    key.key = applyPatch(key.key, patch, copy.languages);
    if (groupUid === undefined || groupUid === group.uid) {
      return [...path.slice(0, -1), move(group.keys, index, position)];
    }
    const { group: target, path: targetPath } = findGroup(copy, groupUid);
    group.keys.splice(index, 1);
    return [...targetPath, 'keys', place(target.keys, key, position)];
  };
}

/** Sets all values of a key, in order, with their texts. */
export function setValues(keyUid: string, values: unknown): Edit {
  return changeKey(keyUid, { values }, { position: undefined, unarchive: false });
}

export function archiveKey(keyUid: string): Edit {
  return (copy) => {
    const { group, index } = findKey(copy, keyUid);
    group.keys.splice(index, 1);
    return [];
  };
}

function applyPatch(key: FileKey, patch: Record<string, unknown>, languages: WorkingCopy['languages']): FileKey {
  const { translations, descriptions, ...replaced } = patch;
  const patched: Record<string, unknown> = { ...key };
  // Members that only apply to the old state are removed automatically.
  if (replaced.multiple === false) for (const name of ['min', 'max']) delete patched[name];
  if (replaced.values) delete patched.constraint;
  if (replaced.constraint) delete patched.values;
  for (const [name, value] of Object.entries(replaced)) {
    if (value === null) delete patched[name];
    else patched[name] = value;
  }
  return patchAllTexts(patched as FileKey, { translations, descriptions }, languages);
}

function bringBack(copy: WorkingCopy, keyUid: string): void {
  const group = copy.catalog.groups.find(({ keys }) => keys.some((key) => key.keyUid === keyUid));
  const key = group?.keys.find((each) => each.keyUid === keyUid);
  if (!group || !key) throw new InnkeeperError('catalogItemNotFound');
  if (group.archived) {
    throw new InnkeeperError('catalogInvalid', {
      fields: [{ field: 'archived', message: `its group ${group.name} is archived: restore it first` }],
    });
  }
  if (!key.archived) return;
  const { group: open } = findGroup(copy, group.groupUid);
  open.keys.push({ uid: keyUid, closed: { ...key, archived: false } });
  // Opened like in the file: without texts of removed languages.
  openKey(copy, open, open.keys.length - 1);
}
