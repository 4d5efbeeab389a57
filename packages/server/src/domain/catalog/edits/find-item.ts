import { InnkeeperError } from '../../errors.ts';
import { type Draft, type DraftKey, type OpenGroup, openGroup } from '../draft.ts';

export type FoundGroup = { group: OpenGroup; index: number; path: (string | number)[] };
export type FoundKey = { group: OpenGroup; key: DraftKey; index: number; path: (string | number)[] };

export function findGroup(draft: Draft, groupUid: string): FoundGroup {
  const index = draft.groups.findIndex(({ uid }) => uid === groupUid);
  if (index === -1) throw new InnkeeperError('catalogItemNotFound');
  return { group: openGroup(draft, index), index, path: ['groups', index] };
}

export function findKey(draft: Draft, keyUid: string): FoundKey {
  const groupIndex = draft.groups.findIndex((group) =>
    'closed' in group
      ? group.closed.keys.some((key) => key.keyUid === keyUid)
      : group.keys.some(({ uid }) => uid === keyUid),
  );
  if (groupIndex === -1) throw new InnkeeperError('catalogItemNotFound');
  const group = openGroup(draft, groupIndex);
  const index = group.keys.findIndex(({ uid }) => uid === keyUid);
  const key = group.keys[index];
  // It is archived.
  if (!key) throw new InnkeeperError('catalogItemNotFound');
  return { group, key, index, path: ['groups', groupIndex, 'keys', index] };
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
