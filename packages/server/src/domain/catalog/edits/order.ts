import { type FieldError, InnkeeperError } from '../../errors.ts';
import { readUuid } from '../../users/user-code.ts';
import type { Edit } from '../edit-catalog.ts';
import { openGroup } from '../working-copy.ts';

type WantedOrder = { groupUid: string; keys?: string[] }[];

/** Sets the order of all groups, each with the order of all its keys; a group without `keys` keeps their order. */
export function setOrder(wanted: WantedOrder): Edit {
  return (copy) => {
    const problems: FieldError[] = [];
    const uids = wanted.map(({ groupUid }) => groupUid);
    copy.groups = arrange(copy.groups, uids, (index) => `groups[${index}].groupUid`, 'groups', problems);
    if (problems.length > 0) throw new InnkeeperError('catalogInvalid', { fields: problems });
    for (const [index, { keys: keyUids }] of wanted.entries()) {
      if (keyUids === undefined) continue;
      const group = openGroup(copy, index);
      const field = `groups[${index}].keys`;
      group.keys = arrange(group.keys, keyUids, (at) => `${field}[${at}]`, field, problems);
    }
    if (problems.length > 0) throw new InnkeeperError('catalogInvalid', { fields: problems });
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
