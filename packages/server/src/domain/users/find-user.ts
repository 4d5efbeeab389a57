import type { UserRecord } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { isUuid } from './user-code.ts';

export async function findUser(service: Service, { appId }: Application, userUid: string): Promise<UserRecord> {
  const user = isUuid(userUid) ? await service.storage.users.find(appId, userUid) : undefined;
  if (!user) throw new InnkeeperError('userNotFound');
  return user;
}
