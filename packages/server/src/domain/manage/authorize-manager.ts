import type { ManageTokenRecord } from '../../storage/port.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { isManageToken } from './manage-token.ts';
import type { Manager } from './manager.ts';

/** When a token was last used is kept this exactly: a busy program costs one write a minute. */
const USE_MS = 60_000;

/**
 * The one door to /manage/v1. The token is asked of the database every time, so that one that is revoked
 * fails at once in every replica.
 */
export async function authorizeManager(service: Service, token: string | undefined): Promise<Manager> {
  if (token === undefined) throw new InnkeeperError('manageTokenMissing');
  const now = service.now();
  const record = isManageToken(token)
    ? await service.storage.manageTokens.findByHash(service.keyring.hashManageToken(token), now)
    : undefined;
  if (!record) throw new InnkeeperError('manageTokenInvalid');
  if (record.lastUsedAt === null || record.lastUsedAt <= now - USE_MS) noteUse(service, record.tokenId, now);
  return managerOf(record);
}

function managerOf({ name, appIds, access: granted }: ManageTokenRecord): Manager {
  const scope = appIds && new Set(appIds);
  return {
    author: `token:${name}`,
    can: (appId, access) => (scope === null || scope.has(appId)) && (access === 'read' || granted === 'write'),
    canCreateApplications: scope === null && granted === 'write',
  };
}

/** Nobody waits for it, and nothing depends on it. */
function noteUse({ storage }: Service, tokenId: string, now: number): void {
  storage.manageTokens.touch(tokenId, now, now - USE_MS).catch(() => {});
}
