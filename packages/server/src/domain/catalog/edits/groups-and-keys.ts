import { readUuid } from '../../../uuid.ts';
import { type FieldError, InnkeeperError } from '../../errors.ts';
import type { Edit } from '../edit-catalog.ts';
import type { FileGroup, FileKey } from '../file-schema.ts';
import { MAX_PROBLEMS, setOwn } from '../source.ts';
import { type OpenGroup, type OpenKey, openGroup, openKey, tagFinder, type WorkingCopy } from '../working-copy.ts';

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

type GroupPatch = { name?: unknown; translations?: unknown; descriptions?: unknown };

/** Members that are not given stay. Texts are changed one by one; null removes one. */
export function changeGroup(
  groupUid: string,
  { name, ...patch }: GroupPatch,
  { position, unarchive }: { position: number | undefined; unarchive: boolean },
): Edit {
  return (copy) => {
    if (unarchive) restoreGroup(copy, groupUid);
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
function restoreGroup(copy: WorkingCopy, groupUid: string): void {
  if (copy.groups.some(({ uid }) => uid === groupUid)) return;
  const archived = copy.catalog.groups.find((group) => group.groupUid === groupUid);
  if (!archived) throw new InnkeeperError('catalogItemNotFound');
  copy.groups.push({ uid: groupUid, closed: { ...archived, archived: false } });
}

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
    if (unarchive) restoreKey(copy, keyUid);
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

function restoreKey(copy: WorkingCopy, keyUid: string): void {
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

type WantedOrder = { groupUid: string; keys?: string[] }[];

/** Sets the order of all groups, each with the order of all its keys; a group without `keys` keeps their order. */
export function setOrder(wanted: WantedOrder): Edit {
  return (copy) => {
    const problems: FieldError[] = [];
    const uids = wanted.map(({ groupUid }) => groupUid);
    copy.groups = arrange(copy.groups, uids, (index) => `groups[${index}].groupUid`, 'groups', problems);
    if (problems.length > 0) throw new InnkeeperError('catalogInvalid', { fields: problems.slice(0, MAX_PROBLEMS) });
    for (const [index, { keys: keyUids }] of wanted.entries()) {
      if (keyUids === undefined) continue;
      const group = openGroup(copy, index);
      const field = `groups[${index}].keys`;
      group.keys = arrange(group.keys, keyUids, (at) => `${field}[${at}]`, field, problems);
    }
    if (problems.length > 0) throw new InnkeeperError('catalogInvalid', { fields: problems.slice(0, MAX_PROBLEMS) });
    return [];
  };
}

/** Each item once, in the order of the UIDs. */
function arrange<T extends { uid?: string }>(
  items: readonly T[],
  uids: readonly string[],
  fieldAt: (index: number) => string,
  whole: string,
  problems: FieldError[],
): T[] {
  const left = new Map<unknown, T>(items.map((item) => [item.uid, item]));
  const arranged = uids.flatMap((uid, index) => {
    const known = readUuid(uid);
    const item = left.get(known);
    if (!item) problems.push({ field: fieldAt(index), message: 'is unknown or a duplicate' });
    left.delete(known);
    return item ? [item] : [];
  });
  if (left.size > 0) problems.push({ field: whole, message: `is missing ${[...left.keys()].join(', ')}` });
  return arranged;
}

type FoundGroup = { group: OpenGroup; index: number; path: (string | number)[] };
type FoundKey = { group: OpenGroup; key: OpenKey; index: number; path: (string | number)[] };

function findGroup(copy: WorkingCopy, groupUid: string): FoundGroup {
  const index = copy.groups.findIndex(({ uid }) => uid === groupUid);
  if (index === -1) throw new InnkeeperError('catalogItemNotFound');
  return { group: openGroup(copy, index), index, path: ['groups', index] };
}

function findKey(copy: WorkingCopy, keyUid: string): FoundKey {
  const groupIndex = copy.groups.findIndex((group) =>
    'closed' in group
      ? group.closed.keys.some((key) => key.keyUid === keyUid)
      : group.keys.some(({ uid }) => uid === keyUid),
  );
  if (groupIndex === -1) throw new InnkeeperError('catalogItemNotFound');
  const group = openGroup(copy, groupIndex);
  const index = group.keys.findIndex(({ uid }) => uid === keyUid);
  // It is archived.
  if (index === -1) throw new InnkeeperError('catalogItemNotFound');
  return { group, key: openKey(copy, group, index), index, path: ['groups', groupIndex, 'keys', index] };
}

/** Inserts an item among its siblings, by default at the end; returns its position. */
function place<T>(siblings: T[], item: T, position: number | undefined): number {
  const at = Math.min(position ?? siblings.length, siblings.length);
  siblings.splice(at, 0, item);
  return at;
}

/** Moves an existing item; returns its new position. */
function move<T>(siblings: T[], from: number, position: number | undefined): number {
  if (position === undefined) return from;
  const [item] = siblings.splice(from, 1);
  return place(siblings, item as T, position);
}

/**
 * Applies a patch of texts; null removes one. Languages are given by name or tag. Invalid parts are passed on
 * unchanged: the check of the copy reports them.
 */
function patchTexts(
  texts: Record<string, string> | undefined,
  patch: unknown,
  languages: WorkingCopy['languages'],
): Record<string, string> | undefined {
  if (patch === null) return undefined;
  if (typeof patch !== 'object' || Array.isArray(patch)) return patch as Record<string, string>;
  const patched: Record<string, string> = { ...texts };
  const findTag = tagFinder(languages);
  for (const [word, text] of Object.entries(patch)) {
    const tag = findTag(word) ?? word;
    if (text === null) delete patched[tag];
    else setOwn(patched, tag, text);
  }
  return Object.keys(patched).length > 0 ? patched : undefined;
}

type Worded = { translations?: Record<string, string>; descriptions?: Record<string, string> };

/** An item with the texts and descriptions of a patch; what the patch does not name stays. */
function patchAllTexts<T extends Worded>(
  item: T,
  patch: { translations?: unknown; descriptions?: unknown },
  languages: WorkingCopy['languages'],
): T {
  const patched = { ...item };
  for (const member of ['translations', 'descriptions'] as const) {
    if (patch[member] === undefined) continue;
    const texts = patchTexts(item[member], patch[member], languages);
    if (texts === undefined) delete patched[member];
    else patched[member] = texts;
  }
  return patched;
}
