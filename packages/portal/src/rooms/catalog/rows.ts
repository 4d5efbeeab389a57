import type { Tree, TreeGroup, TreeKey } from '../../draft/queries.ts';
import { defaultOf, labelIn } from './texts.ts';

/** A row of the tree. Positions are among siblings that are not archived. */
export type Row = {
  uid: string;
  label: string;
  name: string;
  level: 1 | 2;
  group: TreeGroup;
  archived: boolean;
  index: number;
  siblings: number;
} & ({ kind: 'group'; expanded: boolean; keys: number } | { kind: 'key'; key: TreeKey });

export type Shown = { closed: ReadonlySet<string>; search: string; archived: boolean };

export function rowsOf(tree: Tree, { closed, search, archived }: Shown): Row[] {
  const byDefault = defaultOf(tree.languages);
  const wanted = search.trim().toLowerCase();
  const label = (item: TreeGroup | TreeKey) => labelIn(item, byDefault, tree.languages);
  const isFound = (item: TreeGroup | TreeKey) =>
    wanted === '' || item.name.toLowerCase().includes(wanted) || label(item).toLowerCase().includes(wanted);
  const groups = tree.groups.filter((group) => archived || !group.archived);
  const live = groups.filter((group) => !group.archived).length;
  return groups.flatMap((group, index): Row[] => {
    const keys = group.keys.filter((key) => archived || !key.archived);
    const liveKeys = keys.filter((key) => !key.archived).length;
    const found = isFound(group) ? keys : keys.filter(isFound);
    if (wanted !== '' && found.length === 0 && !isFound(group)) return [];
    const expanded = wanted !== '' || !closed.has(group.groupUid);
    const own: Row = {
      kind: 'group',
      uid: group.groupUid,
      label: label(group),
      name: group.name,
      level: 1,
      group,
      archived: group.archived,
      index,
      siblings: live,
      expanded,
      keys: liveKeys,
    };
    if (!expanded) return [own];
    return [
      own,
      ...found.map(
        (key): Row => ({
          kind: 'key',
          uid: key.keyUid,
          label: label(key),
          name: key.name,
          level: 2,
          group,
          key,
          archived: key.archived,
          index: keys.indexOf(key),
          siblings: liveKeys,
        }),
      ),
    ];
  });
}

export type Found = { kind: 'group'; group: TreeGroup } | { kind: 'key'; group: TreeGroup; key: TreeKey };

export function findItem(tree: Tree, uid: string | undefined): Found | undefined {
  for (const group of tree.groups) {
    if (group.groupUid === uid) return { kind: 'group', group };
    const key = group.keys.find((each) => each.keyUid === uid);
    if (key) return { kind: 'key', group, key };
  }
  return undefined;
}

/** The tree with an item at another position among its siblings. */
export function moved(tree: Tree, uid: string, position: number): Tree {
  const found = findItem(tree, uid);
  if (!found) return tree;
  if (found.kind === 'group') return { ...tree, groups: place(tree.groups, found.group, position) };
  const group = { ...found.group, keys: place(found.group.keys, found.key, position) };
  return { ...tree, groups: tree.groups.map((each) => (each.groupUid === group.groupUid ? group : each)) };
}

function place<T>(items: readonly T[], item: T, position: number): T[] {
  const others = items.filter((each) => each !== item);
  return [...others.slice(0, position), item, ...others.slice(position)];
}
