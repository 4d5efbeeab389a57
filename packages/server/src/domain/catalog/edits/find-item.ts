import { InnkeeperError } from '../../errors.ts';
import { type OpenGroup, type OpenKey, openGroup, openKey, type WorkingCopy } from '../working-copy.ts';

export type FoundGroup = { group: OpenGroup; index: number; path: (string | number)[] };
export type FoundKey = { group: OpenGroup; key: OpenKey; index: number; path: (string | number)[] };

export function findGroup(copy: WorkingCopy, groupUid: string): FoundGroup {
  const index = copy.groups.findIndex(({ uid }) => uid === groupUid);
  if (index === -1) throw new InnkeeperError('catalogItemNotFound');
  return { group: openGroup(copy, index), index, path: ['groups', index] };
}

export function findKey(copy: WorkingCopy, keyUid: string): FoundKey {
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
export function place<T>(siblings: T[], item: T, position: number | undefined): number {
  const at = Math.min(position ?? siblings.length, siblings.length);
  siblings.splice(at, 0, item);
  return at;
}

/** Moves an existing item; returns its new position. */
export function move<T>(siblings: T[], from: number, position: number | undefined): number {
  if (position === undefined) return from;
  const [item] = siblings.splice(from, 1);
  return place(siblings, item as T, position);
}
