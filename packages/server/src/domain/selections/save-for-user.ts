import type { SelectionChange } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import {
  findActiveUser,
  findUser,
  identifyUserToSave,
  type UserClaims,
  type UserToSave,
} from '../users/identify-user.ts';
import {
  countListed,
  countMatching,
  MAX_LISTED_INLINE,
  MAX_STEPS_INLINE,
  matchOnThread,
  Refusals,
  type WantedSelection,
} from './check-selection.ts';
import { type SavedSelection, saveSelections } from './save-selections.ts';

export type SavedForUser = {
  user: UserToSave['user'];
  catalog: CompiledCatalog;
  wanted: readonly WantedSelection[];
  saved: readonly SavedSelection[];
};

/** `user` is undefined if the request does not identify one: the values are then read only to report all invalid fields. */
export type ReadWanted = (
  user: UserToSave['user'] | undefined,
  catalog: CompiledCatalog,
  refusals: Refusals,
) => readonly WantedSelection[];

/**
 * Saves selections for the user in the claims. A missing user is reported first, before the other invalid fields; but
 * the user is only looked up if something is wrong, or if the save itself finds no one.
 */
export async function saveForUser(
  service: Service,
  application: Application,
  readClaims: () => UserClaims,
  readWanted: ReadWanted,
): Promise<SavedForUser> {
  const { user, authMethod, isNamed } = await identify(service, application, readClaims, readWanted);
  const checkUser = async () => {
    if (isNamed) await findActiveUser(service, application, user.userId);
  };
  try {
    // The user is also looked up before costly work, which anyone could cause with a made-up user_uid.
    return await saveWanted(service, user, () => ({ authMethod }), readWanted, checkUser);
  } catch (error) {
    // Not after a failure of the database: the request would wait for it again.
    if (error instanceof InnkeeperError) {
      await checkUser().catch((missing) => {
        const isAnother = missing instanceof InnkeeperError && missing.fields && missing.error !== error.error;
        throw isAnother ? combine(missing, error) : missing;
      });
    }
    throw error;
  }
}

async function identify(
  service: Service,
  application: Application,
  readClaims: () => UserClaims,
  readWanted: ReadWanted,
): Promise<UserToSave> {
  try {
    return await identifyUserToSave(service, application, readClaims());
  } catch (error) {
    // Without fields, the caller is not allowed to save at all. Values are not checked: a retired one depends on the user.
    if (!(error instanceof InnkeeperError && error.fields)) throw error;
    const catalog = await service.catalogs.get(application.appId);
    const refusals = new Refusals();
    refusals.refuse(USER_PLACE, error);
    refusals.attempt(USER_PLACE, () => readWanted(undefined, catalog, refusals));
    refusals.throwIfAny();
    throw error;
  }
}

/** Before all parts of the request. */
const USER_PLACE = -2;

/** The first error, with the fields of both. */
function combine(first: InnkeeperError, second: InnkeeperError): InnkeeperError {
  const { error, message, headers, more } = first;
  return new InnkeeperError(error, {
    message,
    headers,
    more,
    fields: [...(first.fields ?? []), ...(second.fields ?? [])],
  });
}

/** The common part of every save. */
export async function saveWanted<User extends UserToSave['user']>(
  service: Service,
  user: User,
  changeOf: (wanted: readonly WantedSelection[]) => Omit<SelectionChange, 'at'>,
  readWanted: ReadWanted,
  beforeCostlyWork?: () => Promise<void>,
): Promise<SavedForUser> {
  const catalog = await service.catalogs.get(user.appId);
  const refusals = new Refusals();
  const wanted = readWanted(user, catalog, refusals);
  const isCostly = countMatching(wanted) > MAX_STEPS_INLINE;
  if (isCostly || countListed(wanted) > MAX_LISTED_INLINE) await beforeCostlyWork?.();
  const matches = isCostly ? await matchOnThread(service, user.appId, wanted) : undefined;
  const saved = await saveSelections(service, user, catalog, wanted, changeOf(wanted), { refusals, matches });
  return { user, catalog, wanted, saved };
}

/** Saves for a user on behalf of a manager: recorded in the audit log and in the user's history. */
export async function saveForManager(
  service: Service,
  application: Application,
  { userUid, actor }: { userUid: string; actor: string },
  readWanted: ReadWanted,
): Promise<SavedForUser> {
  const user = await findUser(service, application, userUid);
  const changeOf = (wanted: readonly WantedSelection[]) => {
    const by = { actor, appId: user.appId, keys: wanted.map(({ placed }) => nameOf(placed)) };
    return { authMethod: 'manage', by } as const;
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
  const unset = await service.storage.selections.unsetKeys(userId, keyNos, {
    at: service.now(),
    authMethod: 'manage',
    by,
  });
  if (unset.length === 0) throw new InnkeeperError('selectionNotFound');
  service.activity.count(appId, 'selectionsUnset', unset.length);
}

function nameOf({ group, key }: PlacedKey): string {
  return `${group.name}.${key.name}`;
}
