import type { UserRecord } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import { missingReason } from '../required.ts';
import type { Service } from '../service.ts';
import { readUuid } from './user-code.ts';

/** How a path names a user: by the service's code, or by the application's own id. */
export type UserOfPath = { userCode: string | undefined } | { clientUserId: string };

export async function findUserOfPath(
  { storage: { users } }: Service,
  { appId }: Application,
  path: UserOfPath,
): Promise<UserRecord> {
  if ('clientUserId' in path) {
    const { clientUserId } = path;
    const user = missingReason(clientUserId) ? undefined : await users.findByClientUserId(appId, clientUserId);
    if (!user) throw new InnkeeperError('clientUserUnknown');
    return user;
  }
  const userId = readUuid(path.userCode ?? '');
  const user = userId && (await users.find(appId, userId));
  if (!user) throw new InnkeeperError('userUnknown');
  return user;
}

/** Whether the path refers to this user. findUserOfPath refuses a path that names no user. */
export function isUserOfPath({ userId, clientUserId }: UserRecord, path: UserOfPath): boolean {
  if ('clientUserId' in path) return path.clientUserId === clientUserId;
  const named = readUuid(path.userCode ?? '');
  return named === undefined || named === userId;
}
