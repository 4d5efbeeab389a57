import type { UserRecord } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { makeSpecialToken } from './special-token.ts';

/** Like POST /api/v2/app/special-token, for a manager of the application: earlier unused ones stop working. */
export async function reissueSpecialToken(
  service: Service,
  application: Application,
  { clientUserId }: UserRecord,
): Promise<{ specialToken: string; expiresAt: number }> {
  const { text, record } = makeSpecialToken(service, application, clientUserId);
  const issued = await service.storage.tokens.replaceSpecialToken(application.appId, clientUserId, record);
  if (issued.outcome === 'unknown-user') throw new InnkeeperError('userNotFound');
  return { specialToken: text, expiresAt: record.expiresAt };
}
