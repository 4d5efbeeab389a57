import type { Application } from '../applications/application.ts';
import type { PlacedKey } from '../catalog/compile.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { findUser } from '../users/find-user.ts';
import { type ReadWanted, type SavedForUser, saveWanted } from './save-for-user.ts';
import type { WantedSelection } from './save-selections.ts';

/** Saves for a user on behalf of a manager: recorded in the audit and in the user's history. */
export async function saveForManager(
  service: Service,
  application: Application,
  { userUid, actor }: { userUid: string; actor: string },
  readWanted: ReadWanted,
): Promise<SavedForUser> {
  const user = await findUser(service, application, userUid);
  const changeOf = (wanted: readonly WantedSelection[]) => {
    const by = { actor, appId: user.appId, keys: wanted.map(({ placed }) => nameOf(placed)) };
    return { means: 'manage', by } as const;
  };
  try {
    return await saveWanted(service, user, changeOf, readWanted);
  } catch (error) {
    const isGone = error instanceof InnkeeperError && error.error === 'profileUserNotFound';
    throw isGone ? new InnkeeperError('userNotFound') : error;
  }
}

/** The same for resetting keys to their defaults; at least one of them must be saved. */
export async function unsetForManager(
  service: Service,
  application: Application,
  { userUid, actor }: { userUid: string; actor: string },
  keys: readonly PlacedKey[],
): Promise<void> {
  const { userId, appId } = await findUser(service, application, userUid);
  const saved = new Set((await service.storage.selections.list(userId)).map(({ keyNo }) => keyNo));
  const held = keys.filter(({ key }) => saved.has(key.keyNo));
  const keyNos = held.map(({ key }) => key.keyNo).sort((a, b) => a - b);
  const by = { actor, appId, keys: held.map(nameOf) };
  const unset = await service.storage.selections.unsetKeys(userId, keyNos, { at: service.now(), means: 'manage', by });
  if (unset.length === 0) throw new InnkeeperError('selectionNotFound');
  service.activity.count(appId, 'selectionsUnset', unset.length);
}

function nameOf({ group, key }: PlacedKey): string {
  return `${group.name}.${key.name}`;
}
