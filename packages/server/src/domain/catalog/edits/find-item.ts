import { InnkeeperError } from '../../errors.ts';
import type { Draft, DraftGroup, DraftKey } from '../draft.ts';

export type FoundGroup = { group: DraftGroup; index: number; path: (string | number)[] };
export type FoundKey = { group: DraftGroup; key: DraftKey; index: number; path: (string | number)[] };

export function findGroup(draft: Draft, groupUid: string): FoundGroup {
  const index = draft.groups.findIndex(({ uid }) => uid === groupUid);
  const group = draft.groups[index];
  if (!group) throw new InnkeeperError('catalogItemNotFound');
  return { group, index, path: ['groups', index] };
}

export function findKey(draft: Draft, keyUid: string): FoundKey {
  for (const [groupIndex, group] of draft.groups.entries()) {
    const index = group.keys.findIndex(({ uid }) => uid === keyUid);
    const key = group.keys[index];
    if (key) return { group, key, index, path: ['groups', groupIndex, 'keys', index] };
  }
  throw new InnkeeperError('catalogItemNotFound');
}

/** Puts an item among its siblings, at the end without a position; answers where it stands. */
export function place<T>(siblings: T[], item: T, position: number | undefined): number {
  const at = Math.min(position ?? siblings.length, siblings.length);
  siblings.splice(at, 0, item);
  return at;
}

/** Moves one that is there already; answers where it stands then. */
export function move<T>(siblings: T[], from: number, position: number | undefined): number {
  if (position === undefined) return from;
  const [item] = siblings.splice(from, 1);
  return place(siblings, item as T, position);
}
