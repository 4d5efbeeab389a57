import { USER_STATUSES, type UserChange, type UserRecord, type UserStatus } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import { required } from '../required.ts';
import type { Service } from '../service.ts';

/** The given members of a body, each checked by its own rule; others are ignored. */
export function readUserChange(body: Record<string, unknown>): UserChange {
  const { clientUserName, clientUserId, status } = body;
  return {
    ...(clientUserName !== undefined && {
      clientUserName: required(clientUserName, 'clientUserName', 'clientUserNameMissing'),
    }),
    ...(clientUserId !== undefined && { clientUserId: required(clientUserId, 'clientUserId', 'clientUserIdMissing') }),
    ...(status !== undefined && { status: readStatus(status) }),
  };
}

export function isStatus(value: unknown): value is UserStatus {
  return USER_STATUSES.some((each) => each === value);
}

function readStatus(value: unknown): UserStatus {
  if (isStatus(value)) return value;
  throw new InnkeeperError('usersBadRequest', { message: 'status must be "active" or "suspended".' });
}

/** Makes the whole change or none of it. undefined: the user no longer exists. */
export async function updateUser(
  { storage, now }: Pick<Service, 'storage' | 'now'>,
  { appId }: Pick<Application, 'appId'>,
  userId: string,
  change: UserChange,
): Promise<UserRecord | undefined> {
  const outcome = await storage.users.update(appId, userId, change, now());
  switch (outcome.outcome) {
    case 'updated':
      return outcome.user;
    case 'unknown':
      return undefined;
    case 'duplicate':
      throw new InnkeeperError('duplicateUser');
    case 'profile-exists':
      throw new InnkeeperError('profileExists');
  }
}
