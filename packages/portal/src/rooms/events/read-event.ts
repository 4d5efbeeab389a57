import type { ApplicationEvent } from './queries.ts';

/**
 * The user of an event and what changed, from the members that its type has. Without a name, the user was deleted
 * since.
 */
export type EventSummary = {
  userUid: string | undefined;
  name: string | undefined;
  isDeleted: boolean;
  change: { kind: 'saved' | 'unset'; key: string | null; value: unknown } | { kind: 'revision'; no: number } | null;
};

export function readEvent({ type, data }: ApplicationEvent): EventSummary {
  if ('changes' in data) {
    return { userUid: undefined, name: undefined, isDeleted: false, change: { kind: 'revision', no: data.revision } };
  }
  if ('service_user_code' in data) {
    const { service_user_code: userUid, clientUserName, clientUserId } = data;
    return { userUid, name: clientUserName ?? clientUserId, isDeleted: clientUserId === undefined, change: null };
  }
  const { user_uid: userUid, group, option, value } = data;
  // Reduced to ids.
  const isDeleted = !('by' in data);
  const key = option === null || option === undefined ? null : `${group}.${option}`;
  const kind = type === 'selection.unset' ? 'unset' : 'saved';
  return { userUid, name: undefined, isDeleted, change: isDeleted ? null : { kind, key, value } };
}
