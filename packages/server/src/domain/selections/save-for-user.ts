import type { SelectionChange } from '../../storage/port.ts';
import type { Application } from '../applications/application.ts';
import type { CompiledCatalog } from '../catalog/compile.ts';
import type { Service } from '../service.ts';
import { findUser, identifyUserToSave, type UserClaims, type UserToSave } from '../users/identify-user.ts';
import { countMatching, MAX_STEPS_INLINE, matchOnThread } from './match-patterns.ts';
import { Refusals } from './refusals.ts';
import { type SavedSelection, saveSelections, type WantedSelection } from './save-selections.ts';

export type SavedForUser = {
  user: UserToSave['user'];
  catalog: CompiledCatalog;
  wanted: readonly WantedSelection[];
  saved: readonly SavedSelection[];
};

export type ReadWanted = (
  user: UserToSave['user'],
  catalog: CompiledCatalog,
  refusals: Refusals,
) => readonly WantedSelection[];

/**
 * Saves selections for the user in the claims. A missing user is reported before any other problem; but the user is
 * only looked up if something is wrong, or if the save itself finds nobody.
 */
export async function saveForUser(
  service: Service,
  application: Application,
  claims: UserClaims,
  readWanted: ReadWanted,
): Promise<SavedForUser> {
  const { user, means, isNamed } = await identifyUserToSave(service, application, claims);
  const look = async () => {
    if (isNamed) await findUser(service, application, user.userId);
  };
  try {
    // An unknown user must not cost a match.
    return await saveWanted(service, user, () => ({ means }), readWanted, look);
  } catch (error) {
    await look();
    throw error;
  }
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
  if (isCostly) await beforeCostlyWork?.();
  const matches = isCostly ? await matchOnThread(service, user.appId, wanted) : undefined;
  const saved = await saveSelections(service, user, catalog, wanted, changeOf(wanted), { refusals, matches });
  return { user, catalog, wanted, saved };
}
