import type { UserRecord } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { readUuid } from './user-code.ts';

export async function findUser(service: Service, { appId }: Application, userUid: string): Promise<UserRecord> {
  const userId = readUuid(userUid);
  const user = userId && (await service.storage.users.find(appId, userId));
  if (!user) throw new InnkeeperError('userNotFound');
  return user;
}
